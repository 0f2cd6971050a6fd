// Small boards of the matches that are being played.

class LiveBoards {
  /** `names` are what entrants are called. */
  constructor(board, names) {
    Object.assign(this, { board, names });
    this.cards = new Map();
    this.list = make("ul", { class: "cards" });
    this.none = make("p", { class: "quiet", hidden: true });
    this.more = make("p", { class: "quiet", hidden: true });
    this.node = section("now", say("Now playing"), this.none, this.list, this.more);
    // A board out of sight is drawn once it comes into sight.
    this.sight = new IntersectionObserver((found) => found.forEach(({ target, isIntersecting }) => {
      const card = this.cards.get(target.dataset.fixture);
      if (!card) return;
      card.isSeen = isIntersecting;
      if (isIntersecting && card.isStale) this.draw(card);
    }), { rootMargin: "200px" });
  }

  /** Show these matches and no others. */
  reset(matches) {
    const wanted = new Set(matches.map((match) => match.fixture));
    this.remove([...this.cards.keys()].filter((fixture) => !wanted.has(fixture)));
    matches.forEach((match) => this.update(match));
  }

  remove(fixtures) {
    for (const fixture of fixtures) {
      const card = this.cards.get(fixture);
      if (!card) continue;
      this.sight.unobserve(card.node);
      card.node.remove();
      this.cards.delete(fixture);
    }
  }

  update(match) {
    let card = this.cards.get(match.fixture);
    if (!card) {
      card = this.card(match);
      this.cards.set(match.fixture, card);
      this.list.append(card.node);
      this.sight.observe(card.node);
    }
    card.match = match;
    if (card.isSeen && !document.hidden) this.draw(card);
    else card.isStale = true;
  }

  card({ fixture, entrants }) {
    const box = make("div", { class: "small-board" }), last = make("p", { class: "last" }), where = make("p", { class: "quiet where" });
    const scores = [make("b", {}), make("b", {})], discs = [make("span", {}), make("span", {})];
    const line = (seat) => make("span", { class: "player" }, discs[seat - 1], make("span", { class: "name" }, this.names[entrants[seat - 1]] ?? entrants[seat - 1]), scores[seat - 1]);
    const link = make("a", { class: "card", href: `#${fixture}` }, line(2), box, line(1), where, last);
    return { node: make("li", { "data-fixture": fixture }, link), link, box, last, where, scores, discs, isSeen: false, isStale: true };
  }

  draw(card) {
    const { match, box, last, where, scores, discs, link } = card;
    card.isStale = false;
    const names = match.entrants.map((id) => this.names[id] ?? id);
    const [, , seat = 0, dice = "", text = ""] = match.last ?? [];
    if (match.position) {
      const frame = { kind: "start", position: match.position, before: match.before, dice, seat: seat || match.starter, text, mover: seat || match.starter || 1 };
      const picture = BOARDS[this.board.kind](this.board, names, frame, false);
      if (picture.localName === "svg") {
        picture.setAttribute("aria-hidden", "true"); // the words below say it shorter
        picture.removeAttribute("role");
      }
      box.replaceChildren(picture);
    } else box.replaceChildren(make("p", { class: "quiet waiting" }, say("The match begins.")));
    match.score.forEach((points, place) => { scores[place].textContent = points; });
    const { colours } = this.board;
    discs.forEach((disc, place) => {
      const own = place + 1;
      disc.className = `disc small seat-${colours.length ? (match.starter === own ? 2 : 1) : own}`;
    });
    where.textContent = match.broken ? say("The record can be followed no further.") : match.is_over ? say("The match is over.")
      : match.game ? say("Game {game} of {games}, turn {turn}", { game: match.game, games: match.games, turn: match.turn }) : "";
    last.textContent = seat ? `${names[seat - 1]}${dice ? ` ${[...dice].join("-")}` : ""}: ${turnWords(text)}` : "\u00a0";
    link.classList.toggle("over", match.is_over);
  }

  /** What stands below the boards: how many there are beside them, or that there are none. */
  tell(more, isFinished) {
    this.more.hidden = !more;
    this.more.textContent = more ? say("{count} more matches are being played.", { count: number(more) }) : "";
    this.none.hidden = this.cards.size > 0;
    this.none.textContent = isFinished ? say("The tournament is over.") : say("No match is being played at the moment.");
  }

  close() {
    this.sight.disconnect();
  }
}
