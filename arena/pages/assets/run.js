// The script of a run in a folder of runs: the pages of a run by itself, with a link to the list.

import { make } from "./elements.js";
import { startPages } from "./main.js";
import { SERVER } from "./server.js";
import { useSource } from "./source.js";
import { say } from "./words.js";

useSource(SERVER);
startPages();

const list = document.querySelector('link[rel="up"]');
const home = document.querySelector(".home");
if (list && home) {
  home.after(
    make("a", { href: list.getAttribute("href"), class: "to-runs" }, `← ${say("All runs")}`),
  );
}
