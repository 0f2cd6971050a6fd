// All games as a table that can be sorted and searched, with links to those that can be played through.

function gamesSection(report) {
  const { run, matches } = report;
  if (!matches.length) return section("games", say("Games"), make("p", { class: "notice" }, say("No match has begun yet.")));
  const rows = matches.flatMap((match) => rowsOf(match, (seat) => seat ? run.names[match.entrants[seat - 1]] : ""));
  const all = matches.reduce((sum, match) => sum + match.games.length, 0), shown = matches.reduce((sum, match) => sum + match.shown.length, 0);
  const partial = shown < all
    ? say("{count} of {all} games can be played through here, those that were forfeited first, then the others in the order of play. arena report --games all has every game; arena show has them from the records.",
      { count: number(shown), all: number(all) })
    : say("Every game can be played through, turn by turn: choose one.");
  return section("games", say("Games"), make("p", {}, partial), ...sortedTable(rows));
}

const GAME_COLUMNS = [say("match"), say("game"), say("seat 1"), say("seat 2"), say("winner"), say("ending"), say("points"), say("turns")];

/** A row for each game: values to sort and search by, in the order of the columns, and the link to it if there is one. */
function rowsOf(match, nameOf) {
  const isOld = match.link.includes("~"), { state } = match;
  const tag = isOld ? say("attempt {number}, void", { number: match.attempt })
    : { settled: "", annulled: say("annulled"), void: say("void"), "under way": say("under way") }[state];
  const row = (game, link, [seat, points, ending, turns]) => ({
    link, tag, values: [match.fixture, game, nameOf(1), nameOf(2), nameOf(seat), ending, points, turns],
  });
  if (!match.games.length) return isOld ? [] : [row(null, undefined, [0, null, tag, null])];
  const isSettled = state === "settled" || state === "annulled";
  const unsettled = [0, null, state === "void" ? say("void") : say("not over"), null];
  return match.games.map(({ game, result, turns }) => row(game, match.playable.includes(game) ? `${match.link}/${game}` : undefined,
    isSettled && result ? [result.winner, result.points, spaced(result.ending), turns] : unsettled));
}

/** A field to search in, how many were found, and the table, whose headings sort it. */
function sortedTable(rows) {
  const texts = new Map(rows.map((row) => [row, [...row.values, row.tag].join(" ").toLowerCase()]));
  const filter = make("input", { type: "search", id: "filter", placeholder: say("a name, an ending, forfeit, void …"), autocomplete: "off" });
  const count = make("p", { class: "quiet", role: "status" });
  const box = make("div", { class: "match-list" });
  let sorted = { column: null, sign: 1 };
  const show = () => {
    const wanted = filter.value.trim().toLowerCase().split(/\s+/);
    const found = rows.filter((row) => wanted.every((word) => texts.get(row).includes(word)));
    if (sorted.column !== null) found.sort((one, other) => compared(one.values[sorted.column], other.values[sorted.column], sorted.sign));
    count.textContent = found.length < rows.length ? say("{games} of {all}", { games: counted(found.length, "game"), all: number(rows.length) }) : counted(found.length, "game");
    box.replaceChildren(found.length ? longTable(say("Games"), GAME_COLUMNS, found.map((row) => () => gameCells(row)), "games-table", 25) : "");
    addSorting();
  };
  /** Headings become buttons; a table that shows more rows is a new one. */
  const addSorting = () => box.querySelectorAll("thead th").forEach((heading, column) => {
    const isSorted = sorted.column === column;
    if (isSorted) heading.setAttribute("aria-sort", sorted.sign > 0 ? "ascending" : "descending");
    const button = make("button", { type: "button", class: "sort" }, GAME_COLUMNS[column], isSorted ? (sorted.sign > 0 ? " ▲" : " ▼") : "");
    button.addEventListener("click", () => {
      sorted = { column, sign: isSorted ? -sorted.sign : (column > 5 ? -1 : 1) };
      show();
      box.querySelectorAll(".sort")[column].focus();
    });
    heading.replaceChildren(button);
  });
  box.addEventListener("click", (event) => { if (event.target.classList.contains("more")) addSorting(); });
  filter.addEventListener("input", show);
  show();
  return [make("p", {}, make("label", { for: "filter" }, `${say("Find")} `), filter), count, box];
}

/** Numbers by size, words by the alphabet, or with the sign -1 the other way round; what is nothing comes last. */
function compared(one, other, sign) {
  if (one === null || other === null) return (one === null) - (other === null);
  return sign * (typeof one === "number" ? one - other : one.localeCompare(other));
}

function gameCells({ link, tag, values }) {
  const [fixture, game, first, second, winner, ending, points, turns] = values;
  return [
    [fixture, tag ? make("span", { class: "tag" }, tag) : null],
    make("td", {}, link ? make("a", { href: `#${link}/0`, class: "game" }, `▶ ${game}`) : make("span", { class: "quiet", title: say("not in this page") }, game ?? "–")),
    first, second, winner ? make("strong", {}, winner) : "–", ending, points ?? "–", turns ?? "–",
  ];
}
