// The head of every page, with what the reader chooses for all of them, and what it says of its
// connection.

import { bookLinks, followBookLinks, openBook } from "./book.js";
import { make, pressed } from "./elements.js";
import { keptChoice, LANGUAGE, LANGUAGE_NAMES, say } from "./words.js";

/**
 * The board that the page shows until its scripts have loaded.
 *
 * @type {Element | null}
 */
let emptyBoard = null;

/** What a page shows until its contents come: the same as before its scripts have loaded. */
export function readingPart() {
  const words = make("p", { class: "quiet" }, say("Reading the records …"));
  const board = emptyBoard?.cloneNode(true) ?? null;
  return make("div", { class: "reading" }, words, board);
}

/**
 * The bar above the page, with what the reader can choose, and the words below it.
 *
 * @param {HTMLElement} home The name of the site, as a link or not.
 * @param {string} footer
 */
export function drawHead(home, footer) {
  emptyBoard = document.querySelector(".reading svg");
  followBookLinks();
  const help = pressed("?", () => openBook("signs"), {
    class: "help",
    "aria-label": say("Rules and signs"),
    title: say("Rules and signs"),
  });
  const choices = make("div", { class: "choices" }, help, languageButtons(), themeButton());
  const connection = make("p", { id: "connection", class: "quiet", role: "status" });
  const bar = make("div", { class: "bar" }, home, connection, choices);
  document.getElementById("head")?.replaceChildren(bar);
  document.querySelector(".skip")?.replaceChildren(say("To the content"));
  const links = make("p", { class: "book-links" }, bookLinks());
  document.getElementById("foot")?.replaceChildren(links, make("p", {}, footer));
}

/**
 * Light or dark as the system has it, until the reader says otherwise; remembered where the browser
 * allows it.
 */
function themeButton() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => {
    const { theme } = root.dataset;
    return theme ? theme === "dark" : system.matches;
  };
  const show = () => {
    button.textContent = isDark() ? `☀ ${say("Light")}` : `☾ ${say("Dark")}`;
  };
  const change = () => {
    const theme = isDark() ? "light" : "dark";
    root.dataset.theme = theme;
    keptChoice("arena-report-theme", theme);
    show();
  };
  const kept = keptChoice("arena-report-theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  const button = pressed("", change, { class: "theme" });
  system.addEventListener("change", show);
  show();
  return button;
}

/** Buttons for the other languages; the page is drawn anew in the chosen one. */
function languageButtons() {
  const buttons = [];
  for (const [tag, name] of Object.entries(LANGUAGE_NAMES)) {
    if (tag === LANGUAGE) continue;
    const choose = () => chooseLanguage(tag);
    buttons.push(pressed(name, choose, { class: "language", lang: tag }));
  }
  return buttons;
}

/** @param {string} tag */
function chooseLanguage(tag) {
  keptChoice("arena-language", tag);
  // a server sends the words of one language
  // biome-ignore lint/suspicious/noDocumentCookie: the other way is unknown to Safari before 18.4
  document.cookie = `arena-language=${tag}; max-age=31536000; samesite=strict`;
  location.reload();
}

/**
 * Say in the head how the connection is; nothing while it is well.
 *
 * @param {string} words
 */
export function showConnection(words) {
  const node = document.getElementById("connection");
  if (node && node.textContent !== words) node.textContent = words;
}

/**
 * Say something to those who hear the page.
 *
 * @param {string} words
 */
export function announce(words) {
  document.getElementById("announcer")?.replaceChildren(words);
}

export function homeCrumb() {
  return make("p", { class: "crumbs" }, make("a", { href: "#" }, `← ${say("The tournament")}`));
}
