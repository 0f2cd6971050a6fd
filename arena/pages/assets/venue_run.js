// The script of a run in a venue: the pages of a run by itself, with its place in the venue.

import { fetched } from "./asking.js";
import { make } from "./elements.js";
import { startPages } from "./main.js";
import { SERVER } from "./server.js";
import { useSource } from "./source.js";
import { placeLinks } from "./venue_place.js";

useSource(SERVER);
startPages();

const top = document.querySelector('link[rel="up"]')?.getAttribute("href") ?? "../../";
const [run] = location.pathname.split("/").filter(Boolean).slice(-1);
const links = make("nav", { class: "to-runs" });
document.querySelector(".home")?.after(links);
fetched(`${top}api/places/${run}`).then(
  (place) => links.replaceChildren(...placeLinks(place, top)),
  (error) => reportError(error),
);
