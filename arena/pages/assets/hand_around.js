// What stands around the table: the choice of a match or a lesson before it, the results and the check of the dice after it.

function choicePage(choice, state, act) {
  let ruleset = choice.chosen, opponent = "", options = [...choice.options], games = choice.games, names = [say("Host"), say("Guest")];
  const node = make("div", { class: "choice" });
  const radio = (name, value, isChosen, take, ...words) => {
    const input = make("input", { type: "radio", name, value });
    input.checked = isChosen;
    input.addEventListener("change", () => { take(value); show(); });
    return make("label", { class: "pick" }, input, make("span", {}, words));
  };
  const nameField = (label, place) => {
    const input = make("input", { type: "text", name: `name-${place}`, value: names[place], maxlength: 40 });
    input.addEventListener("input", () => { names[place] = input.value; });
    return make("label", {}, label, " ", input);
  };
  const show = () => {
    const focused = document.activeElement?.name ? [document.activeElement.name, document.activeElement.value] : null;
    const of = choice.rulesets.find((one) => one.name === ruleset) ?? choice.rulesets[0];
    if (!of.opponents.includes(opponent)) opponent = of.default;
    options = options.filter((one) => of.options.includes(one));
    const begin = pressed(say("Sit down"), async () => {
      begin.disabled = true;
      await act("begin", { opponent, ruleset, options, games, names });
      begin.disabled = false;
    }, { class: "main begin", disabled: state.status === "starting" });
    const board = (one) => make("span", { class: "small-board", "aria-hidden": "true" }, BOARDS[one.board.kind](one.board, ["", ""], { kind: "start", position: one.start, before: one.start, dice: [], mover: 1 }, false));
    const offered = choice.rulesets.map((one) => radio("ruleset", one.name, one.name === ruleset, (value) => { ruleset = value; },
      make("strong", {}, one.name), make("span", { class: "quiet" }, told([`ruleset.${one.name}`, { text: "" }])), board(one)));
    node.replaceChildren(
      make("div", { class: "welcome" }, board(of), make("div", {},
        make("h1", { tabindex: "-1" }, say("Play Bräde")),
        make("p", { class: "lead" }, say("You against {name}: {ruleset}, {games} games.", { name: opponent === "person" ? say("another person") : opponent, ruleset, games })),
        state.failure ? make("p", { class: "notice bad", role: "alert" }, toldSpan(state.failure)) : "",
        make("p", {}, begin),
        make("p", { class: "quiet" }, say("The arena rolls, judges and records as in any match of bots."), " ", make("a", { href: "#lessons" }, say("New to the game? Learn it in five minutes."))))),
      make("fieldset", {}, make("legend", {}, capital(say("opponent"))), of.opponents.map((name) =>
        radio("opponent", name, name === opponent, (value) => { opponent = value; }, make("strong", {}, name === "person" ? say("another person") : name), name === "person" ? "" : make("span", { class: "tag" }, strengthWords(choice.strengths[name])), make("span", { class: "quiet" }, told([`opponent.${name}`, {}])))),
        opponent === "person" ? make("div", { class: "names" }, nameField(say("Your name"), 0), nameField(say("Name of the other person"), 1)) : ""),
      make("fieldset", {}, make("legend", {}, say("Games of the match")), [3, 5, 7].map((count) => radio("games", String(count), games === count, (value) => { games = Number(value); }, String(count)))),
      make("fieldset", { class: "games-offered" }, make("legend", {}, capital(say("game"))), offered),
      of.options.length ? make("fieldset", {}, make("legend", {}, say("Options")), of.options.map((name) => {
        const box = make("input", { type: "checkbox", name: "option", value: name });
        box.checked = options.includes(name);
        box.addEventListener("change", () => { options = box.checked ? [...options, name] : options.filter((one) => one !== name); });
        return make("label", { class: "pick" }, box, make("span", {}, name));
      })) : "",
      lessonsPart(choice, act));
    node.querySelector("[href='#lessons']").addEventListener("click", (event) => { // what stands after the # stays the seat
      event.preventDefault();
      node.querySelector("#lessons").scrollIntoView();
      node.querySelector("#lessons button").focus({ preventScroll: true });
    });
    if (focused) [...node.querySelectorAll(`input[name="${focused[0]}"]`)].find((one) => one.value === focused[1])?.focus();
  };
  show();
  return node;
}

/** The link for the other person, to be sent or to be opened beside this page. */
function invitationPart(token, act) {
  const link = new URL(`#${token}`, location.href).href, done = make("span", { role: "status" });
  const copy = pressed(say("Copy the link"), async () => {
    try {
      await navigator.clipboard.writeText(link);
      done.textContent = sentence("copied");
    } catch { // without a permission, or over plain HTTP from elsewhere
      getSelection().selectAllChildren(shown);
    }
  }, { class: "main" });
  const shown = make("a", { class: "invitation", href: link, target: "_blank", rel: "noopener" }, link);
  return make("div", {}, make("p", {}, say("Send this link to the other person, who plays by it. On one computer or phone, open it in a second tab or window, and take turns.")),
    make("p", {}, shown), make("div", { class: "hand-buttons" }, copy, pressed(say("Call it off"), () => act("choose", {})), done));
}

/** How strong an opponent is, as people say it. */
function strengthWords(strength) {
  return { beginner: say("for your first game"), easy: say("easy"), medium: say("plays well"), strong: say("hard to beat"), strongest: say("beats everybody here") }[strength];
}

/** The lessons that this browser has seen solved. */
const SOLVED = new Set((keptChoice("arena-solved") ?? "").split(" "));

function lessonsPart(choice, act) {
  return section("lessons", say("The game in five minutes"),
    make("p", {}, say("Positions to try, with the rules of vasa. Nobody answers, and the referee says what is wrong.")),
    [say("First steps"), say("A sound game, if you know backgammon")].map((title, group) => [make("h3", {}, title),
      make("ol", { class: "lessons", start: choice.lessons.slice(0, group).flat().length + 1 }, choice.lessons[group].map((lesson) =>
        make("li", {}, pressed([lessonWords(lesson, "title"), ...(SOLVED.has(lesson) ? [" ", make("span", { role: "img", "aria-label": say("solved") }, "✓")] : [])], () => act("learn", { lesson })))))]));
}

function lessonWords(lesson, part) {
  return told([`lesson.${lesson}.${part}`, {}]);
}

function lessonPart(choice, { lesson, judged }, act) {
  const lessons = choice.lessons.flat(), place = lessons.indexOf(lesson), next = lessons[place + 1], isReached = judged === "reached";
  if (isReached) keptChoice("arena-solved", [...SOLVED.add(lesson)].join(" "));
  return make("section", { class: `notice lesson ${{ reached: "good", missed: "bad" }[judged] ?? ""}`, "aria-label": say("Position to try") },
    make("p", { class: "quiet" }, `${place + 1} / ${lessons.length}`),
    make("h1", { tabindex: "-1" }, lessonWords(lesson, "title")), make("p", { class: "task" }, lessonWords(lesson, "text")),
    judged === "open" ? "" : make("p", { role: "status" }, make("strong", {}, lessonWords(lesson, isReached ? "done" : "missed"))),
    make("div", { class: "hand-buttons" },
      next ? pressed(say("Next position"), () => act("learn", { lesson: next }), { class: isReached ? "main" : "" }) : "",
      pressed(say("Play a match"), () => act("choose", {}), { class: isReached && !next ? "main" : "" })));
}

function overWords(game) {
  const how = endingWords({ ending: game.ending, cause: null, monk: game.monk }), points = counted(game.points, "point", "points");
  if (game.result === "drawn") return say("Game {number} is drawn: {how}.", { number: game.number, how });
  if (game.ending === "forfeit") return game.result === "won" ? say("You win game {number} by forfeit: {points}.", { number: game.number, points })
    : say("You lose game {number} by forfeit: {points}.", { number: game.number, points });
  return game.result === "won" ? say("You win game {number} by {how}: {points}.", { number: game.number, how, points })
    : say("You lose game {number} by {how}: {points}.", { number: game.number, how, points });
}

function whyOver({ why, clause }) {
  return make("p", {}, why ? `${sentence(why)} (${clause})` : `(${clause})`);
}

/** A game that is over, above the board that it ended on; `pause` tells when the next one begins. */
function gameOverPanel({ over, score }, state, pause, goOn) {
  const button = pressed(state.over ? say("The match") : capital(say("next game")), goOn, { class: "main go-on" });
  return make("section", { class: "notice over", "aria-label": say("The game is over") },
    make("h2", { tabindex: "-1" }, overWords(over.game)), whyOver(over.game),
    make("p", { class: "quiet" }, say("Score: {mine} : {theirs}", { mine: score[0], theirs: score[1] })), button, pause);
}

/** The whole match; `dice` is the part that checks them, which stays when the rest is drawn anew. */
function matchOverPanel(state, act, dice, review) {
  const { over, table, me, opponent } = state, score = table?.score ?? [0, 0];
  const title = { won: say("You have won the match"), lost: say("You have lost the match"), drawn: say("The match is drawn"), left: over.why_left?.[0] === "left.resigned" ? say("You have resigned the match") : say("The match has ended") }[over.result];
  const games = (table?.over ?? []).map((one) => make("li", {}, overWords(one.game), whyOver(one.game)));
  const parts = [make("h1", { tabindex: "-1" }, title)];
  if (over.result !== "left") parts.push(make("p", { class: "lead" }, `${me} ${score[0]} : ${score[1]} ${opponent}`));
  else if (over.why_left && over.why_left[0] !== "left.resigned") parts.push(make("p", { class: "notice bad" }, toldSpan(over.why_left)));
  parts.push(state.role === "host" ? make("div", { class: "hand-buttons" },
    pressed(say("Play again"), () => act("rematch", {}), { class: "main" }), pressed(say("Another opponent"), () => act("choose", {})))
    : state.role === "entrant" ? ["next-match", "in-tournament"].map((name) => make("div", { class: name })) : make("p", { role: "status" }, say("If {name} begins another match, the board appears here.", { name: opponent })));
  parts.push(review);
  if (games.length) parts.push(make("ul", { class: "games-over" }, games));
  parts.push(section("dice-of-match", say("The dice"), over.dice_problems?.length ? make("p", { class: "verdict bad" }, toldSpan(over.dice_problems.reduce((first, then) => ["joined", { first, then }]))) : "",
    over.is_settled ? dice : make("p", { class: "quiet" }, say("The arena settles the match; then the dice can be checked."))));
  if (state.role === "host") parts.push(make("p", { class: "quiet" }, `${say("The record is in")} `, make("code", {}, over.folder), "; ", make("code", {}, `arena report ${over.folder}`)));
  return make("div", { class: "match-over" }, parts);
}

/** The games of a match to play through, and the person's costliest turns as boards with the better one. */
function reviewOf({ names: entrants, board, clock, games }, { over, table }) {
  const names = entrants.map((name) => name === "you" ? say("your side") : name), me = table?.seat ?? 1, flipped = board.kind === "tables" && me === 2, box = make("div", {});
  const run = { names, board, terms: { clock } }, match = { entrants: [0, 1], versions: ["", ""], fixture: "", link: "", attempt: 1, void: "", broken: "", playable: [] };
  const open = (number, turn) => {
    const replay = new Replay(run, match, games.find((game) => game.number === number), () => {}, true);
    if (flipped) replay.flip();
    replay.jump(turn ? Math.max(0, frameAt(replay.frames, String(turn))) : 0);
    if (turn && !replay.best.hidden) replay.toggleBest();
    box.replaceChildren(replay.node);
    if (turn) box.scrollIntoView();
    for (const button of choose.children) button.setAttribute("aria-pressed", String(button.dataset.game === String(number)));
  };
  const choose = make("div", { class: "hand-buttons" }, games.map(({ number }) =>
    pressed(capital(say("game {number}", { number })), () => open(number, 0), { "data-game": number, "aria-pressed": "false" })));
  const frameOf = ({ game, turn }) => framesOf(games.find((one) => one.number === game), clock).find((frame) => frame.kind === "turn" && frame.turn === turn);
  const costly = (one) => {
    const { before, dice, seat } = frameOf(one), frame = { kind: "best", position: before, before, dice, seat, mover: seat, text: one.best };
    return make("li", {}, pressed([make("span", { class: "small-board", "aria-hidden": "true" }, BOARDS[board.kind](board, names, frame, flipped)),
      make("strong", {}, `−${pointsOf(one.loss / 1000)}`), ` ${say("game {game}, turn {turn}: {played}; better {best}", { ...one, played: turnWords(one.played), best: turnWords(one.best) })}`],
    () => open(one.game, one.turn), { class: "card" }));
  };
  const found = !over.is_judged ? make("p", { class: "quiet", role: "status" }, say("The evaluator is looking at your turns …"))
    : !over.costliest ? "" : over.costliest.length ? make("ul", { class: "cards" }, over.costliest.map(costly)) : make("p", {}, say("The evaluator has nothing to say against your turns."));
  if (games.length) open(games[0].number, 0);
  return make("div", {}, found ? section("costliest", say("Your costliest turns"), found) : "", section("review", say("Play the match through"), choose, box));
}

/** Dice, 1 to 6, without end: HMAC-SHA256 in counter mode over a label and the entropies of both sides. */
async function* diceOf(seed, label, entropies) {
  const key = await crypto.subtle.importKey("raw", seed, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  for (let counter = 0; ; counter += 1) {
    const text = new TextEncoder().encode([label, ...entropies, counter].join("|"));
    for (const byte of new Uint8Array(await crypto.subtle.sign("HMAC", key, text))) if (byte < 252) yield (byte % 6) + 1;
  }
}

function bytesOf(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

async function sha256Of(data) {
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", data))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Check the last attempt of a match record; gives how many rolls follow from the seed, or raises an error. */
async function checkedRolls(record) {
  const facts = record.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const begin = facts.findLastIndex((fact) => fact.event === "match_opened"), lines = facts.slice(begin), [opened] = lines;
  const revealed = lines.find((fact) => fact.event === "dice_revealed");
  if (!revealed) throw new Error(say("The seed of the dice is not revealed before the match is over."));
  const seed = bytesOf(revealed.dice_seed);
  if (await sha256Of(seed) !== opened.dice_commitment) throw new Error(say("The seed is not the one that was fixed before the match."));
  const entropies = [];
  for (const seat of [1, 2]) {
    const last = (event) => lines.filter((fact) => fact.event === event && fact.seat === seat).at(-1);
    const entropy = last("entropy_revealed")?.entropy ?? "", { commitment } = last("bot_ready");
    if (commitment !== null && await sha256Of(bytesOf(entropy)) !== commitment) throw new Error(say("Seat {seat} has revealed something else than it had fixed.", { seat }));
    entropies.push(entropy);
  }
  let rolls = 0;
  const games = new Map(), rolled = new Map();
  const compare = async (game, found) => {
    for (const face of found) if ((await games.get(game).next()).value !== face) throw new Error(say("A roll of game {game} does not follow from the seed.", { game }));
    rolls += 1;
  };
  for (const fact of lines) {
    if (fact.event === "game_started") {
      games.set(fact.game, diceOf(seed, ["brade-dice-2", opened.match, opened.attempt, fact.game].join("|"), entropies));
      for (const thrown of fact.opening) await compare(fact.game, thrown);
      if (opened.ruleset.fields.opening === "higher_starts") rolled.set(fact.game, 1);
    } else if (fact.dice?.length && rolled.get(fact.game) !== fact.turn) {
      await compare(fact.game, fact.dice);
      rolled.set(fact.game, fact.turn);
    }
  }
  return rolls;
}

function diceCheck(fetchRecord) {
  const result = make("p", { class: "verdict", role: "status", hidden: true });
  const button = pressed(say("Check the dice"), async () => {
    button.disabled = true;
    let words, isGood = true;
    try {
      const rolls = await checkedRolls(await fetchRecord());
      words = rolls ? say("All {count} rolls and throws follow from the seed: these dice were fixed before you sat down.", { count: number(rolls) }) : say("This game has no dice.");
    } catch (error) {
      [words, isGood] = [told(error.said ?? error.message), false];
    }
    result.hidden = button.disabled = false;
    result.className = `verdict ${isGood ? "good" : "bad"}`;
    result.replaceChildren(make("strong", {}, words));
  }, { class: "check-dice" });
  return make("div", { class: "dice-check" },
    make("p", {}, say("Before the match the arena fixed a secret seed and showed its hash; then both sides added numbers of their own. Your browser can compute every roll once more from what the record reveals.")),
    button, result);
}
