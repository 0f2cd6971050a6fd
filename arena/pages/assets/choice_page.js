// The choice of a match or a lesson, before somebody sits down.

import { capital, make, toldSpan } from "./elements.js";
import { lessonsPart } from "./lessons.js";
import { keyed, keyedButton, redraw } from "./redraw.js";
import { BOARDS } from "./replay.js";
import { strengthWords } from "./strengths.js";
import { say, told } from "./words.js";

/** @import {Child} from "./elements.js" */
/** @import {Ask, Choice, HandState, RulesetChoice} from "./hand_types.d.ts" */

/** The numbers of games that are offered. */
const GAMES = [3, 5, 7];

/** The name of the opponent who is no bot. */
const PERSON = "person";

export class ChoicePage {
  /**
   * @param {Choice} choice
   * @param {HandState} state
   * @param {Ask} act
   */
  constructor(choice, state, act) {
    this.choice = choice;
    this.state = state;
    this.act = act;
    this.ruleset = choice.chosen;
    this.opponent = "";
    this.options = choice.options;
    this.games = choice.games;
    /** @type {[string, string]} */
    this.names = [say("Host"), say("Guest")];
    this.isBeginning = state.status === "starting";
    this.node = make("div", { class: "choice" });
    this.lessons = lessonsPart(choice, act);
    this.draw();
  }

  /** @returns {RulesetChoice} */
  get rules() {
    const { rulesets } = this.choice;
    return rulesets.find(({ name }) => name === this.ruleset) ?? rulesets[0];
  }

  /** Draw the choice again; where somebody writes or chooses they go on. */
  draw() {
    const { opponents, options } = this.rules;
    if (!opponents.includes(this.opponent)) this.opponent = this.rules.default;
    this.options = this.options.filter((name) => options.includes(name));
    const parts = [this.welcome(), this.opponentField(), this.gamesField(), this.rulesetField()];
    if (options.length) parts.push(this.optionsField());
    redraw(this.node, ...parts, this.lessons);
  }

  /** Begin the match that is chosen. */
  async begin() {
    const { opponent, ruleset, options, games, names } = this;
    this.isBeginning = true;
    this.draw();
    await this.act("begin", { opponent, ruleset, options, games, names });
    this.isBeginning = false;
    this.draw();
  }

  /** @returns {HTMLElement} */
  welcome() {
    const { failure } = this.state;
    const lead = say("You against {name}: {ruleset}, {games} games.", {
      name: opponentName(this.opponent),
      ruleset: this.ruleset,
      games: this.games,
    });
    const attributes = { class: "main begin", disabled: this.isBeginning };
    const begin = keyedButton("begin", say("Sit down"), () => this.begin(), attributes);
    const toLessons = keyed(
      "to lessons",
      make("a", { href: "#lessons" }, say("New to the game? Learn it in five minutes.")),
    );
    toLessons.onclick = (event) => this.goToLessons(event);
    const note = say("The arena rolls, judges and records as in any match of bots.");
    const notice = { class: "notice bad", role: "alert" };
    const words = make(
      "div",
      {},
      make("h1", { tabindex: "-1" }, say("Play Bräde")),
      make("p", { class: "lead" }, lead),
      failure ? make("p", notice, toldSpan(failure)) : null,
      make("p", {}, begin),
      make("p", { class: "quiet" }, note, " ", toLessons),
    );
    return make("div", { class: "welcome" }, smallBoard(this.rules), words);
  }

  /** @param {Event} event a press on the link to the lessons */
  goToLessons(event) {
    event.preventDefault(); // what stands after the # stays the seat
    this.lessons.scrollIntoView();
    this.lessons.querySelector("button")?.focus({ preventScroll: true });
  }

  /** @returns {HTMLElement} */
  opponentField() {
    const radios = this.rules.opponents.map((name) => {
      const isChosen = name === this.opponent;
      const choose = () => {
        this.opponent = name;
      };
      return this.radio("opponent", name, isChosen, choose, this.opponentWords(name));
    });
    const names = [
      this.nameField(say("Your name"), 0),
      this.nameField(say("Name of the other person"), 1),
    ];
    return make(
      "fieldset",
      {},
      make("legend", {}, capital(say("opponent"))),
      radios,
      this.opponent === PERSON ? make("div", { class: "names" }, names) : null,
    );
  }

  /**
   * @param {string} name
   * @returns {Child[]} who an opponent is
   */
  opponentWords(name) {
    const strength = this.choice.strengths[name];
    return [
      make("strong", {}, opponentName(name)),
      name === PERSON ? null : make("span", { class: "tag" }, strengthWords(strength)),
      make("span", { class: "quiet" }, told([`opponent.${name}`, {}])),
    ];
  }

  /**
   * @param {string} label
   * @param {0 | 1} place
   * @returns {HTMLLabelElement} a field for the name of a person
   */
  nameField(label, place) {
    const name = `name-${place}`;
    const value = this.names[place];
    const input = keyed("name", make("input", { type: "text", name, value, maxlength: 40 }));
    input.oninput = (event) => {
      const { target } = event;
      if (target instanceof HTMLInputElement) this.names[place] = target.value;
    };
    return make("label", {}, label, " ", input);
  }

  /** @returns {HTMLElement} */
  gamesField() {
    const radios = GAMES.map((count) => {
      const choose = () => {
        this.games = count;
      };
      return this.radio("games", String(count), count === this.games, choose, String(count));
    });
    return make("fieldset", {}, make("legend", {}, say("Games of the match")), radios);
  }

  /** @returns {HTMLElement} */
  rulesetField() {
    const radios = this.choice.rulesets.map((rules) => {
      const { name } = rules;
      const choose = () => {
        this.ruleset = name;
      };
      const words = [
        make("strong", {}, name),
        make("span", { class: "quiet" }, told([`ruleset.${name}`, { text: "" }])),
        smallBoard(rules),
      ];
      return this.radio("ruleset", name, name === this.ruleset, choose, words);
    });
    const legend = make("legend", {}, capital(say("game")));
    return make("fieldset", { class: "games-offered" }, legend, radios);
  }

  /** @returns {HTMLElement} */
  optionsField() {
    const boxes = this.rules.options.map((name) => {
      const isChosen = this.options.includes(name);
      const others = this.options.filter((option) => option !== name);
      const box = make("input", { type: "checkbox", name: "option", value: name });
      box.checked = isChosen;
      box.onchange = () => {
        this.options = isChosen ? others : [...others, name];
        this.draw();
      };
      return pick(name, box, name);
    });
    return keyed("options", make("fieldset", {}, make("legend", {}, say("Options")), boxes));
  }

  /**
   * @param {string} group
   * @param {string} value
   * @param {boolean} isChosen
   * @param {() => void} choose
   * @param {Child} words
   * @returns {HTMLLabelElement}
   */
  radio(group, value, isChosen, choose, words) {
    const input = make("input", { type: "radio", name: group, value });
    input.checked = isChosen;
    input.onchange = () => {
      choose();
      this.draw();
    };
    return pick(value, input, words);
  }
}

/**
 * @param {string} key
 * @param {HTMLInputElement} input
 * @param {Child} words
 * @returns {HTMLLabelElement} something to be chosen
 */
function pick(key, input, words) {
  return keyed(
    key,
    make("label", { class: "pick" }, keyed("input", input), make("span", {}, words)),
  );
}

/**
 * @param {string} name
 * @returns {string}
 */
function opponentName(name) {
  return name === PERSON ? say("another person") : name;
}

/**
 * @param {RulesetChoice} rules
 * @returns {HTMLSpanElement} the board of a game as it begins
 */
function smallBoard({ board, start }) {
  const frame = { kind: "start", position: start, before: start, dice: [], mover: 1 };
  const picture = BOARDS[board.kind](board, ["", ""], frame, false);
  return make("span", { class: "small-board", "aria-hidden": "true" }, picture);
}
