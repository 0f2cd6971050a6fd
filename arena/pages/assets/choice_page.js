// The lobby: the choice of a match or a lesson, and the matches of before.

import { capital, make, toldSpan } from "./elements.js";
import { faceOf, twoPersons } from "./faces.js";
import { lessonsPart, lessonsWords } from "./lessons.js";
import { PastGames } from "./past_games.js";
import { keyed, keyedButton, redraw } from "./redraw.js";
import { BOARDS } from "./replay.js";
import { strengthWords } from "./strengths.js";
import { pagePanel, Tabs } from "./tabs.js";
import { say, told } from "./words.js";

/** @import {Child} from "./elements.js" */
/** @import {Ask, Choice, HandState, RulesetChoice} from "./hand_types.d.ts" */

/** The numbers of games that are offered. */
const GAMES = [3, 5, 7];

/** The name of the opponent who is no bot. */
const PERSON = "person";

/**
 * A game as it is offered: one card, whatever its rulesets.
 *
 * @typedef {object} GameCard
 * @property {string} key
 * @property {string} title
 * @property {string} headline
 * @property {string} words
 * @property {RulesetChoice[]} rulesets
 */

/**
 * @param {Choice} choice
 * @returns {GameCard[]}
 */
function gameCards({ rulesets }) {
  const cards = [
    {
      key: "brade",
      title: "Bräde",
      headline: say("Play Bräde"),
      words: say("The old Swedish game: both sides walk the same way round, and a jan wins."),
    },
    {
      key: "backgammon",
      title: say("Backgammon"),
      headline: say("Play backgammon"),
      words: say("The game you may know, without the doubling cube."),
    },
    {
      key: "brandubh",
      title: "Brandubh",
      headline: say("Play Brandubh"),
      words: say("A small tafl game without dice: the king flees to a corner."),
    },
  ];
  const all = cards.map((card) => ({
    ...card,
    rulesets: rulesets.filter((rules) => gameOf(rules) === card.key),
  }));
  return all.filter((card) => card.rulesets.length);
}

/**
 * @param {RulesetChoice} rules
 * @returns {string} the key of its card
 */
function gameOf({ board }) {
  if (board.kind !== "tables") return "brandubh";
  return board.facing === "same_way" ? "brade" : "backgammon";
}

export class ChoicePage {
  /**
   * @param {Choice} choice
   * @param {HandState} state
   * @param {Ask} act
   * @param {() => void} goBack leads back to the board of a match in play
   */
  constructor(choice, state, act, goBack) {
    this.choice = choice;
    this.state = state;
    this.act = act;
    this.goBack = goBack;
    this.cards = gameCards(choice);
    this.ruleset = choice.chosen;
    this.opponent = "";
    this.options = choice.options;
    this.games = choice.games;
    /** @type {[string, string]} */
    this.names = [say("Host"), say("Guest")];
    this.isBeginning = false;
    this.isWhichOpen = false;
    this.past = new PastGames(act, () => this.draw());
    this.head = make("div", { class: "lobby-head" });
    this.play = make("div", { class: "choice-of-match" });
    this.bar = make("div", { class: "begin-bar" });
    this.lessons = make("div");
    const panels = [
      pagePanel("play", say("Play a match"), this.play),
      pagePanel("lessons", "", this.lessons),
      pagePanel("past", say("Your last games"), this.past.node),
    ];
    this.tabs = new Tabs(say("Lobby"), panels, () => this.draw(), true);
    const nodes = panels.map(({ node }) => node);
    this.node = make("div", { class: "choice" }, this.head, this.tabs.list, nodes, this.bar);
  }

  /** @returns {RulesetChoice} */
  get rules() {
    const { rulesets } = this.choice;
    return rulesets.find(({ name }) => name === this.ruleset) ?? rulesets[0];
  }

  /** @returns {GameCard} */
  get card() {
    const key = gameOf(this.rules);
    return this.cards.find((card) => card.key === key) ?? this.cards[0];
  }

  /** @returns {string} what the open tab is for */
  get headline() {
    if (this.tabs.selected === "lessons") return say("Learn Bräde");
    return this.tabs.selected === "past" ? say("Your last games") : this.card.headline;
  }

  /** @returns {boolean} true while a match goes on at the board */
  get isPlaying() {
    return this.state.status === "playing";
  }

  /** Show the lobby anew, with what has changed since it was shown last. */
  open() {
    redraw(this.lessons, lessonsPart(this.choice, this.act));
    this.tabs.rename("lessons", lessonsWords(this.choice));
    this.past.refresh();
    this.draw();
  }

  /** @param {HandState} state */
  take(state) {
    this.state = state;
    this.draw();
  }

  /** Draw the choice again; where somebody writes or chooses they go on. */
  draw() {
    const { opponents, options } = this.rules;
    if (!opponents.includes(this.opponent)) this.opponent = this.rules.default;
    this.options = this.options.filter((name) => options.includes(name));
    redraw(this.head, ...this.headParts());
    redraw(this.play, this.gamesOffered(), this.whichRules(), this.opponents(), this.lengths());
    this.bar.hidden = this.tabs.selected !== "play";
    redraw(this.bar, ...this.barParts());
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

  /** @returns {Node[]} the headline, and the way back to a match that is not over */
  headParts() {
    const { failure } = this.state;
    /** @type {Node[]} */
    const parts = [make("h1", { tabindex: "-1" }, this.headline)];
    const notice = { class: "notice bad", role: "alert" };
    if (failure) parts.push(keyed("failure", make("p", notice, toldSpan(failure))));
    const { unfinished } = this.past;
    if (this.isPlaying) {
      const words = say("Your match against {name} goes on.", { name: this.state.opponent });
      parts.push(this.wayBack(words, say("Back to the board"), this.goBack));
    } else if (unfinished) {
      const { opponent: name, ruleset } = unfinished;
      const words = say("Your match against {name} ({ruleset}) is not over.", { name, ruleset });
      const goOn = () => this.past.goOn(unfinished);
      parts.push(this.wayBack(words, say("Go on with your match"), goOn));
    }
    return parts;
  }

  /**
   * @param {string} words
   * @param {string} name of the button
   * @param {() => void} act
   * @returns {HTMLElement}
   */
  wayBack(words, name, act) {
    const button = keyedButton("back", name, act);
    return keyed("way back", make("p", { class: "notice to-the-board" }, words, " ", button));
  }

  /** @returns {HTMLElement[]} what is chosen, and the button that begins it */
  barParts() {
    const lead = say("You against {name}: {ruleset}, {games} games.", {
      name: this.opponent === PERSON ? say("another person") : this.opponent,
      ruleset: rulesWords(this.rules),
      games: this.games,
    });
    const attributes = { class: "main begin", disabled: this.isBeginning };
    const begin = this.isPlaying
      ? keyedButton("board", say("Back to the board"), this.goBack, attributes)
      : keyedButton("begin", say("Sit down"), () => this.begin(), attributes);
    return [make("p", { class: "lead" }, lead), begin];
  }

  /** @returns {HTMLElement} */
  gamesOffered() {
    const radios = this.cards.map((card) => {
      const [first] = card.rulesets;
      const isChosen = card === this.card;
      const choose = () => {
        this.ruleset = first.name;
      };
      const words = [
        make("strong", {}, card.title),
        make("span", { class: "quiet" }, card.words),
        smallBoard(first),
      ];
      return this.radio("game", card.key, isChosen, choose, words);
    });
    const legend = make("legend", {}, capital(say("game")));
    return keyed("games", make("fieldset", { class: "games-offered" }, legend, radios));
  }

  /** @returns {HTMLElement} the rulesets of the game and their options, behind a summary */
  whichRules() {
    const { rulesets } = this.card;
    const rules = capital(rulesWords(this.rules));
    const parts = rulesets.flatMap((offered) => {
      const { name } = offered;
      const isChosen = name === this.ruleset;
      const choose = () => {
        this.ruleset = name;
      };
      const words = [
        make("strong", {}, capital(rulesWords(offered))),
        make("span", { class: "quiet" }, told([`ruleset.${name}`, { text: "" }])),
      ];
      const radio = this.radio("ruleset", name, isChosen, choose, words);
      if (!isChosen) return [radio];
      return rulesets.length > 1 ? [radio, ...this.optionsOf(offered)] : this.optionsOf(offered);
    });
    const summary = make("summary", {}, `${say("Which rules?")} `, make("strong", {}, rules));
    const attributes = { class: "which-rules", open: this.isWhichOpen };
    const box = make("details", attributes, keyed("summary", summary), parts);
    const isPlain = rulesets.length === 1 && !this.rules.options.length;
    box.hidden = isPlain;
    summary.onclick = (event) => {
      event.preventDefault(); // it is drawn open or closed
      this.isWhichOpen = !this.isWhichOpen;
      this.draw();
    };
    return keyed("rules", box);
  }

  /**
   * @param {RulesetChoice} rules
   * @returns {HTMLElement[]} its options, as sentences with what they change
   */
  optionsOf({ options }) {
    return options.map((name) => {
      const isChosen = this.options.includes(name);
      const others = this.options.filter((option) => option !== name);
      const box = make("input", { type: "checkbox", name: "option", value: name });
      box.checked = isChosen;
      box.onchange = () => {
        this.options = isChosen ? others : [...others, name];
        this.draw();
      };
      const effect = make("span", {}, told([`option.${name}`, { text: name }]));
      return pick(`option ${name}`, box, effect, "option");
    });
  }

  /** @returns {HTMLElement} */
  opponents() {
    const radios = this.rules.opponents.map((name) => {
      const isPerson = name === PERSON;
      const strength = this.choice.strengths[name];
      const choose = () => {
        this.opponent = name;
      };
      const words = [
        isPerson ? twoPersons() : faceOf(strength),
        make("strong", {}, isPerson ? say("another person") : name),
        make("span", { class: "how-strong" }, isPerson ? "" : strengthWords(strength)),
        make("span", { class: "quiet" }, told([`opponent.${name}`, {}])),
      ];
      return this.radio("opponent", name, name === this.opponent, choose, words);
    });
    const names = [
      this.nameField(say("Your name"), 0),
      this.nameField(say("Name of the other person"), 1),
    ];
    const legend = make("legend", {}, capital(say("opponent")));
    const isPerson = this.opponent === PERSON;
    const fields = isPerson ? keyed("names", make("div", { class: "names" }, names)) : null;
    const faces = make("div", { class: "faces" }, radios);
    return keyed("opponents", make("fieldset", {}, legend, faces, fields));
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
  lengths() {
    const radios = GAMES.map((count) => {
      const choose = () => {
        this.games = count;
      };
      return this.radio("games", String(count), count === this.games, choose, String(count));
    });
    const legend = make("legend", {}, say("Games of the match"));
    return keyed("lengths", make("fieldset", { class: "lengths" }, legend, radios));
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
 * @param {string} [kind] its class
 * @returns {HTMLLabelElement} something to be chosen
 */
function pick(key, input, words, kind = "") {
  return keyed(
    key,
    make("label", { class: `pick ${kind}` }, keyed("input", input), make("span", {}, words)),
  );
}

/**
 * @param {RulesetChoice} rules
 * @returns {string} the name of its rules, as people say it
 */
function rulesWords({ name }) {
  return told([`rules_named.${name}`, { text: name }]);
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
