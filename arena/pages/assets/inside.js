// The contents as the file of a report has them: all at once, and nothing is fetched.

import { number } from "./elements.js";
import { NotHere } from "./page_head.js";
import { ROWS } from "./source.js";
import { endingWords } from "./steps.js";
import { say } from "./words.js";

const REPORT = JSON.parse(document.getElementById("report").textContent);

export const INSIDE = {
  isLive: false,
  mostRows: Infinity,
  matchAt: new Map(REPORT.matches.map((match) => [match.link, match])),

  get footer() {
    return say(
      "Made by arena report from the records of the run; they alone are the truth. arena verify checks them again.",
    );
  },

  get gamesNote() {
    const count = (list) => REPORT.matches.reduce((sum, match) => sum + match[list].length, 0),
      all = count("games"),
      shown = count("shown");
    return shown < all
      ? say(
          "{count} of {all} games can be played through here, those that were forfeited first, then the others in the order of play. arena report --games all has every game; arena show has them from the records.",
          { count: number(shown), all: number(all) },
        )
      : say("Every game can be played through, turn by turn: choose one.");
  },

  overview(heard) {
    heard("snapshot", {
      ...REPORT,
      running: [],
      more_running: 0,
      games: this.games({ find: "", sort: "", isUp: true, most: ROWS }),
    });
  },

  run: () => REPORT.run,
  crosstable: () => REPORT.crosstable,
  pairings: () => REPORT.pairings,
  playable: (match) => match.shown.map((game) => game.number),

  games({ find, sort, isUp, most }) {
    this.rows ??= REPORT.matches.flatMap(rowsOf);
    const wanted = find.toLowerCase().split(/\s+/);
    const found = this.rows.filter(({ text }) => wanted.every((word) => text.includes(word)));
    if (sort)
      found.sort((one, other) => compared(one.values[sort], other.values[sort], isUp ? 1 : -1));
    return { rows: found.slice(0, most), found: found.length, all: this.rows.length };
  },

  bot(id) {
    return REPORT.bots.find(({ row }) => row.id === id) ?? nothingCalled(id);
  },

  match(fixture, attempt) {
    const link = attempt ? `${fixture}~${attempt}` : fixture;
    return this.matchAt.get(link) ?? nothingCalled(link);
  },

  game({ link }, number) {
    throw new NotHere(
      say("Game {game} of {match} is not in this page.", { game: number, match: link }),
    );
  },

  isHere(link, number) {
    return this.matchAt.has(link) && this.playable(this.matchAt.get(link)).includes(number);
  },
};

function nothingCalled(name) {
  throw new NotHere(
    say(
      "There is nothing called {name} in this page. The tournament lists all games under Games.",
      { name },
    ),
  );
}

/** A row for each game of a match: what the list shows, and values to sort and search by. */
function rowsOf(match) {
  const isOld = match.link.includes("~"),
    isVoid = match.state === "void",
    { fixture } = match;
  const tag = isOld
    ? say("attempt {number}, void", { number: match.attempt })
    : { settled: "", annulled: say("annulled"), void: say("void"), "under way": say("under way") }[
        match.state
      ];
  const open = {
    winner: 0,
    points: null,
    ending: isVoid ? "void" : match.games.length ? "not_over" : "under_way",
    cause: null,
    monk: false,
  };
  const names = match.entrants.map((id) => REPORT.run.names[id]),
    [one, two] = names;
  return (match.games.length ? match.games : [{ game: null, result: null, turns: null }]).map(
    ({ game, result, turns }) => {
      const row = {
        ...match,
        ...(isVoid || !result ? open : result),
        turns: isVoid ? null : turns,
        game,
        tag,
        isHere: INSIDE.isHere(match.link, game),
      };
      const values = {
        match: fixture,
        game,
        one,
        two,
        winner: row.winner ? names[row.winner - 1] : "",
        ending: endingWords(row),
        points: row.points,
        turns: row.turns,
      };
      return { ...row, values, text: [...Object.values(values), tag].join(" ").toLowerCase() };
    },
  );
}

/** Numbers by size, words by the alphabet, or with the sign -1 the other way round; what is nothing comes last. */
function compared(one, other, sign) {
  if (one === null || other === null) return (one === null) - (other === null);
  return sign * (typeof one === "number" ? one - other : one.localeCompare(other));
}
