// The tools below a game that is played through: how the board is shown, and what to take from it.

import { make, number, pressed } from "./elements.js";
import { download, savePng, svgAddress } from "./pictures.js";
import { positionId } from "./position_id.js";
import { signToggle } from "./sign_buttons.js";
import { soundSwitch } from "./sounds.js";
import { say } from "./words.js";

/** @import {Replay} from "./replay.js" */

const SPEEDS = [0.5, 1, 2, 4];

/**
 * What is seldom needed: how the board is shown, and what to take away from it.
 *
 * @param {Replay} replay
 */
export function toolsOf(replay) {
  const isDrawn = replay.run.board.kind !== "text";
  const copied = make("span", { class: "quiet", role: "status" });
  return make(
    "div",
    { class: "tools" },
    speedChoice(replay),
    soundSwitch("arena-sound-watching", false),
    isDrawn ? boardToggles(replay) : null,
    replay.isEmbedded ? null : linkButton(replay, copied),
    positionButton(replay, copied),
    isDrawn ? saveButtons(replay) : null,
    copied,
  );
}

/** @param {Replay} replay */
function speedChoice(replay) {
  const choices = SPEEDS.map((speed) =>
    make("option", { value: speed, selected: speed === 1 }, `${number(speed)} ×`),
  );
  const choice = make("select", { "aria-label": say("Speed") }, choices);
  choice.addEventListener("change", () => {
    replay.speed = Number(choice.value);
  });
  return choice;
}

/** @param {Replay} replay */
function boardToggles(replay) {
  const flip = signToggle(say("Turn the board round"), "flip", false, () => replay.flip());
  if (replay.run.board.kind !== "tables") return [flip];
  const arrows = signToggle(
    say("Arrows for the last turn"),
    "arrows",
    true,
    () => !replay.board.classList.toggle("no-arrows"),
  );
  return [flip, arrows];
}

/**
 * @param {Replay} replay
 * @param {HTMLSpanElement} copied says that the link is copied
 */
function linkButton(replay, copied) {
  const title = say("Copy a link to this position");
  const copy = async () => {
    const hash = replay.hashOf(replay.frames[replay.place]);
    const address = location.href.split("#")[0] + hash;
    await copyText(address, copied, make("a", { href: address }, hash));
  };
  return pressed(say("Link"), copy, { title });
}

/**
 * @param {Replay} replay
 * @param {HTMLSpanElement} copied says that the position is copied
 */
function positionButton(replay, copied) {
  const title = say("Copy this position as commands and other programs read it");
  const copy = async () => {
    const id = positionId(replay.run.board, replay.frames[replay.place]);
    await copyText(id, copied, id);
  };
  return pressed(say("Position"), copy, { title });
}

/**
 * @param {string} text
 * @param {HTMLSpanElement} copied
 * @param {Node | string} shown what the reader copies if the browser refuses
 */
async function copyText(text, copied, shown) {
  try {
    await navigator.clipboard.writeText(text);
    copied.textContent = say("copied");
  } catch {
    copied.replaceChildren(shown);
  }
}

/** @param {Replay} replay */
function saveButtons(replay) {
  const file = () => {
    const { label } = replay.frames[replay.place];
    return `${replay.match.link}-game-${replay.game.number}-${label}`;
  };
  const saveSvg = () => download(`${file()}.svg`, svgAddress(replay.picture()));
  return [
    pressed("SVG", saveSvg, { title: say("Save this position as SVG") }),
    pressed("PNG", () => savePng(replay.picture(), file()), {
      title: say("Save this position as PNG"),
    }),
  ];
}
