// The first page: choose a game and an opponent, or a position to try.

function choicePage(choice, state, act) {
  let ruleset = choice.chosen, opponent = "", options = [...choice.options], games = choice.games;
  const node = make("div", { class: "choice" });
  const radio = (name, value, isChosen, take, ...words) => {
    const input = make("input", { type: "radio", name, value });
    input.checked = isChosen;
    input.addEventListener("change", () => { take(value); show(); });
    return make("label", { class: "pick" }, input, make("span", {}, words));
  };
  const show = () => {
    const focused = document.activeElement?.name ? [document.activeElement.name, document.activeElement.value] : null;
    const of = choice.rulesets.find((one) => one.name === ruleset) ?? choice.rulesets[0];
    if (!of.opponents.includes(opponent)) opponent = of.default;
    options = options.filter((one) => of.options.includes(one));
    const begin = make("button", { type: "button", class: "main begin" }, say("Sit down"));
    begin.disabled = state.status === "starting";
    begin.addEventListener("click", () => {
      begin.disabled = true;
      act("begin", { opponent, ruleset, options, games }).then(() => { begin.disabled = false; });
    });
    node.replaceChildren(
      make("h1", { tabindex: "-1" }, say("Play Bräde")),
      make("p", { class: "lead" }, say("You sit in a bot's seat: the arena rolls, judges and records as in any match.")),
      state.failure ? make("p", { class: "notice bad", role: "alert" }, toldSpan(state.failure)) : "",
      make("fieldset", {}, make("legend", {}, say("Game")), choice.rulesets.map((one) => radio("ruleset", one.name, one.name === ruleset, (value) => { ruleset = value; }, make("strong", {}, one.name)))),
      of.options.length ? make("fieldset", {}, make("legend", {}, say("Options")), of.options.map((name) => {
        const box = make("input", { type: "checkbox", name: "option", value: name });
        box.checked = options.includes(name);
        box.addEventListener("change", () => { options = box.checked ? [...options, name] : options.filter((one) => one !== name); });
        return make("label", { class: "pick" }, box, make("span", {}, name));
      })) : "",
      make("fieldset", {}, make("legend", {}, say("Opponent")), of.opponents.map((name) => {
        const one = choice.opponents[name];
        return radio("opponent", name, name === opponent, (value) => { opponent = value; }, make("strong", {}, name), ` · ${say(one.strength)}. `, say(one.plays));
      })),
      make("fieldset", {}, make("legend", {}, say("Games of the match")), [3, 5, 7].map((count) => radio("games", String(count), games === count, (value) => { games = Number(value); }, String(count)))),
      make("p", {}, begin),
      lessonsPart(choice, act));
    if (focused) [...node.querySelectorAll(`input[name="${focused[0]}"]`)].find((one) => one.value === focused[1])?.focus();
  };
  show();
  return node;
}

function lessonsPart(choice, act) {
  return section("lessons", say("The game in five minutes"),
    make("p", {}, say("Positions to try, with the rules of vasa. Nobody answers, and the referee says what is wrong.")),
    make("ol", { class: "lessons" }, choice.lessons.map((lesson) => {
      const node = make("button", { type: "button" }, say(lesson.title));
      node.addEventListener("click", () => act("learn", { lesson: lesson.name }));
      return make("li", {}, node);
    })));
}

/** What stands beside the board of a lesson. */
function lessonPart(choice, state, act) {
  const place = choice.lessons.findIndex((one) => one.name === state.lesson), lesson = choice.lessons[place], next = choice.lessons[place + 1];
  const button = (words, deed, fields, kind = "") => {
    const node = make("button", { type: "button", class: kind }, words);
    node.addEventListener("click", () => act(deed, fields));
    return node;
  };
  return make("section", { class: `notice lesson ${state.is_reached ? "good" : ""}`, "aria-label": say("Position to try") },
    make("p", { class: "quiet" }, `${place + 1} / ${choice.lessons.length}`),
    make("h1", { tabindex: "-1" }, say(lesson.title)), make("p", {}, say(lesson.text)),
    state.is_reached ? make("p", { role: "status" }, make("strong", {}, say(lesson.done))) : "",
    make("div", { class: "hand-buttons" },
      next ? button(say("Next position"), "learn", { lesson: next.name }, state.is_reached ? "main" : "") : "",
      button(say("Play a match"), "choose", {}, state.is_reached && !next ? "main" : "")));
}
