// The list of all matches, with links to the games that can be played through.

function matchesSection(report) {
  const { run, matches, entrants } = report;
  const words = { settled: "", annulled: "annulled", void: "void", "under way": "under way" };
  const nameOf = (match, seat) => entrants[match.entrants[seat - 1]].name;
  const texts = matches.map((match) => [
    match.fixture, words[match.state], ...match.games.map(({ ending }) => spaced(ending)),
  ].join(" ").toLowerCase());
  const line = (match) => () => [
    match.fixture,
    make("td", {}, match.state === "settled" || match.state === "annulled"
      ? `${nameOf(match, 1)} ${match.score[0]} : ${match.score[1]} ${nameOf(match, 2)}`
      : `${nameOf(match, 1)} – ${nameOf(match, 2)}`, words[match.state] ? make("span", { class: "tag" }, words[match.state]) : null,
      match.attempts > 1 ? make("span", { class: "quiet" }, ` ${match.attempts} attempts`) : null),
    make("td", { class: "games" }, gamesOf(match, nameOf)),
  ];
  const list = make("div", { class: "match-list" });
  const count = make("p", { class: "quiet", role: "status" });
  const filter = make("input", { type: "search", id: "filter", placeholder: "a name, an ending, forfeit, void …", autocomplete: "off" });
  const show = () => {
    const wanted = filter.value.trim().toLowerCase().split(/\s+/);
    const found = matches.filter((_, place) => wanted.every((word) => texts[place].includes(word)));
    count.textContent = `${counted(found.length, "match", "matches")}${found.length < matches.length ? ` of ${number(matches.length)}` : ""}`;
    list.replaceChildren(found.length ? longTable("Matches", ["match", "score", "games to play through"], found.map(line), "matches", 60) : "");
  };
  filter.addEventListener("input", show);
  show();
  const partial = run.games_shown < run.games
    ? `${number(run.games_shown)} of ${number(run.games)} games can be played through here, those that were forfeited first, then the others in ` +
      "the order of play. arena report --games all has every game; arena show has them from the records."
    : "Every game can be played through, turn by turn: choose one.";
  return section("games", "Games",
    matches.length ? [make("p", {}, partial), make("p", {}, make("label", { for: "filter" }, "Find "), filter), count, list]
      : make("p", { class: "notice" }, "No match has begun yet."));
}

/** A link for each game in the page, and in words what the games were that are not in it. */
function gamesOf(match, nameOf) {
  const ended = match.games.map(({ winner, points, ending }) => `${spaced(ending)}, ${winner ? `${points} for ${nameOf(match, winner)}` : "drawn"}`);
  const links = match.replayable.map((place) => {
    const at = place.lastIndexOf("/");
    const [link, game] = [place.slice(0, at), Number(place.slice(at + 1))];
    const attempt = link.split("~")[1];
    const words = attempt ? `game ${game} of attempt ${attempt} (void)` : ended[game - 1] ?? (match.state === "void" ? "void" : "not over");
    return make("a", { href: `#${place}/0`, class: "game", title: words }, attempt ? `${attempt}·${game}` : game, make("span", { class: "ending" }, ` ${words}`));
  });
  const missing = ended.length - match.replayable.filter((place) => !place.includes("~")).length;
  return missing > 0 ? [...links, make("span", { class: "quiet" }, `${links.length ? " and " : ""}${counted(missing, "game")} not in this page`)] : links;
}
