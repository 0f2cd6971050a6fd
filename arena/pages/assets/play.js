// The entry of `arena play`: playing by hand.

import { make } from "./elements.js";
import { beginHandPage } from "./hand_page.js";
import { drawHead } from "./page_head.js";
import { say } from "./words.js";

const main = document.getElementById("main");

drawHead(
  make("span", { class: "home" }, "Bräde arena"),
  say(
    "Every turn is judged by the referee of the arena and kept in a record. The link of this " +
      "page is your seat: keep it to yourself.",
  ),
);

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault(); // what stands after the # stays the seat
  main?.focus();
});

addEventListener("hashchange", () => location.reload());

if (main) beginHandPage(main);
