// The head of every page, with what the reader chooses for all of them, and what it says of its connection.

import { bookLinks, openBook } from "./book.js";
import { make, moment, pressed, toldSpan } from "./elements.js";
import { LANGUAGE, LANGUAGE_NAMES, keptChoice, say } from "./words.js";

/** The bar above the page, with what the reader can choose, and the words below it. */
export function drawHead(home, footer) {
  document.getElementById("head").replaceChildren(
    make(
      "div",
      { class: "bar" },
      home,
      make("p", { id: "connection", class: "quiet", role: "status" }),
      make(
        "div",
        { class: "choices" },
        pressed("?", () => openBook("signs"), {
          class: "help",
          "aria-label": say("Rules and signs"),
          title: say("Rules and signs"),
        }),
        languageButtons(),
        themeButton(),
      ),
    ),
  );
  document.querySelector(".skip").textContent = say("To the content");
  document
    .getElementById("foot")
    .replaceChildren(make("p", { class: "book-links" }, bookLinks()), make("p", {}, footer));
}

/** Light or dark as the system has it, until the reader says otherwise; remembered where the browser allows it. */
function themeButton() {
  const root = document.documentElement;
  const isDark = () =>
    root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
  const show = () => {
    button.textContent = isDark() ? `☀ ${say("Light")}` : `☾ ${say("Dark")}`;
  };
  const kept = keptChoice("arena-report-theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  const button = pressed(
    "",
    () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      keptChoice("arena-report-theme", root.dataset.theme);
      show();
    },
    { class: "theme" },
  );
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  return button;
}

/** Buttons for the other languages; the page is drawn anew in the chosen one. */
function languageButtons() {
  return Object.entries(LANGUAGE_NAMES)
    .filter(([tag]) => tag !== LANGUAGE)
    .map(([tag, name]) =>
      pressed(
        name,
        () => {
          keptChoice("arena-language", tag);
          // a server sends the words of one language
          // biome-ignore lint/suspicious/noDocumentCookie: the other way is unknown to Safari before 18.4
          document.cookie = `arena-language=${tag}; max-age=31536000; samesite=strict`;
          location.reload();
        },
        { class: "language", lang: tag },
      ),
    );
}

export function showConnection(words) {
  const node = document.getElementById("connection");
  if (node.textContent !== words) node.textContent = words;
}

export function announce(words) {
  document.getElementById("announcer").textContent = words;
}

/** The answer to a request, from JSON; raises an error with the server's own sentence. */
export async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok)
    throw new Error(
      (await answer.text()).trim() ||
        say("The server has no answer ({status}).", { status: answer.status }),
    );
  return answer.json();
}

/** Raised where something is not in the page; its words are the reader's. */
export class NotHere extends Error {}

export function troubleOf(error) {
  return make(
    "p",
    { class: "notice bad", role: "alert" },
    error instanceof NotHere
      ? error.message
      : error instanceof TypeError
        ? say("The server does not answer.")
        : toldSpan(error.message),
  );
}

function ago(ms) {
  const seconds = Math.max(0, Math.round((Date.now() - ms) / 1000));
  if (seconds < 60) return say("just now");
  if (seconds < 3600) return say("{count} min ago", { count: Math.floor(seconds / 60) });
  if (seconds < 172800) return say("{count} h ago", { count: Math.floor(seconds / 3600) });
  return moment(ms);
}

export function homeCrumb() {
  return make("p", { class: "crumbs" }, make("a", { href: "#" }, `← ${say("The tournament")}`));
}
