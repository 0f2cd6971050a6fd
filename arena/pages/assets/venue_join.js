// How to join a venue with a bot: lines to copy, for each language.

/** @import { VenuePage } from "./contents.d.ts" */

import { make } from "./elements.js";
import { announce } from "./page_head.js";
import { keyed, keyedButton, redraw } from "./redraw.js";
import { say } from "./words.js";

const NAME = "my-bot";
const DONE_MS = 2000;

/**
 * How `arena new` names a language, how its bot is built, and how it is started.
 *
 * @typedef {object} Language
 * @property {string} id
 * @property {string} name
 * @property {string} build Empty if nothing is to be built.
 * @property {string} start
 * @property {boolean} hasTls False if it cannot speak TLS.
 */

/** @type {readonly Language[]} */
export const LANGUAGES = [
  { id: "python", name: "Python", build: "", start: `python ${NAME}/bot.py`, hasTls: true },
  {
    id: "go",
    name: "Go",
    build: `(cd ${NAME} && go build -o build/bot .)`,
    start: `${NAME}/build/bot`,
    hasTls: true,
  },
  {
    id: "javascript",
    name: "JavaScript",
    build: `npm ci --omit=dev --prefix ${NAME}`,
    start: `node ${NAME}/bot.mjs`,
    hasTls: true,
  },
  {
    id: "java",
    name: "Java",
    build: `mvn --quiet --batch-mode --file ${NAME}/pom.xml package`,
    start: `java -jar ${NAME}/target/bot.jar`,
    hasTls: true,
  },
  {
    id: "rust",
    name: "Rust",
    build: `cargo build --release --locked --manifest-path ${NAME}/Cargo.toml`,
    start: `${NAME}/target/release/bot`,
    hasTls: false,
  },
  { id: "c", name: "C", build: `make -C ${NAME}`, start: `${NAME}/build/bot`, hasTls: false },
  {
    id: "shell",
    name: "Shell",
    build: "",
    start: `arena adapter stdio -- sh ${NAME}/bot.sh`,
    hasTls: true,
  },
];

/**
 * The lines by which a bot in a language is made, joins and starts.
 *
 * @param {Language} language
 * @param {string} door
 * @param {VenuePage["joining"]} joining
 */
export function linesOf({ id, build, start }, door, joining) {
  const invite = joining === "invite" ? " --invite CODE" : "";
  const environment = `ARENA_ADDRESS=${door} ARENA_NAME=${NAME} ARENA_TOKEN=TOKEN`;
  return {
    make: `arena new ${id} ${NAME}`,
    build,
    join: `arena join ${door}${invite} --name ${NAME}`,
    start: `${environment} ${start}`,
  };
}

export class JoinPart {
  constructor() {
    this.language = LANGUAGES[0];
    this.node = make("section", { id: "join", "aria-labelledby": "join-title" });
    this.door = "";
    /** @type {VenuePage["joining"]} */
    this.joining = "invite";
  }

  /** @param {Pick<VenuePage, "door" | "joining">} venue */
  show({ door, joining }) {
    this.door = door.replace("*", location.hostname);
    this.joining = joining;
    this.draw();
  }

  draw() {
    const title = make("h2", { id: "join-title" }, say("Join with your bot"));
    if (this.joining === "closed" || !this.door) {
      const closed = make("p", { class: "quiet" }, say("New bots cannot join at the moment."));
      redraw(this.node, title, closed);
      return;
    }
    const isTls = this.door.startsWith("tls:");
    const languages = LANGUAGES.filter(({ hasTls }) => hasTls || !isTls);
    const lines = linesOf(this.language, this.door, this.joining);
    const code =
      this.joining === "invite"
        ? say("CODE is your invite: ask the operator for one. Each is for one bot.")
        : "";
    const steps = [
      step(say("Write a bot that already plays:"), "make", lines.make),
      lines.build ? step(say("Build it:"), "build", lines.build) : null,
      step([say("Join; this prints your token, once."), " ", code], "join", lines.join),
      step(say("Start your bot; its first match begins at once:"), "start", lines.start),
    ];
    const list = make("ol", { class: "join-steps" }, steps);
    redraw(this.node, title, this.choices(languages), list);
  }

  /** @param {readonly Language[]} languages */
  choices(languages) {
    const buttons = languages.map((language) => {
      const isChosen = language === this.language;
      const choose = () => {
        this.language = language;
        this.draw();
      };
      const attributes = { "aria-pressed": String(isChosen) };
      return keyedButton(language.id, language.name, choose, attributes);
    });
    const name = say("Language of your bot");
    return make("div", { class: "languages", role: "group", "aria-label": name }, buttons);
  }
}

/**
 * A step with a line to copy.
 *
 * @param {import("./elements.js").Child} words
 * @param {string} key
 * @param {string} line
 */
function step(words, key, line) {
  const text = make("code", { tabindex: "0" });
  text.textContent = line; // a clause of the rules in it would be a link
  const button = keyedButton(`copy-${key}`, say("Copy"), () => copy(text, button), {
    class: "copy",
  });
  button.setAttribute("aria-label", say("Copy: {line}", { line }));
  return keyed(
    key,
    make("li", {}, make("p", {}, words), make("div", { class: "copied-line" }, text, button)),
  );
}

/**
 * Copy a line; where the browser does not allow that, select it.
 *
 * @param {HTMLElement} text
 * @param {HTMLButtonElement} button
 */
async function copy(text, button) {
  const shown = button.isConnected ? button : document.activeElement;
  const line = shown?.parentElement?.querySelector("code") ?? text;
  try {
    await navigator.clipboard.writeText(line.textContent ?? "");
  } catch {
    getSelection()?.selectAllChildren(line);
    return;
  }
  announce(say("Copied"));
  if (!(shown instanceof HTMLButtonElement)) return;
  shown.textContent = say("Copied");
  setTimeout(() => {
    shown.textContent = say("Copy");
  }, DONE_MS);
}
