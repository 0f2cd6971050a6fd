// Puts the page together and follows its address: `#standings` is a section, `#r1-anna-v-bo/2/17` a turn of a game.

const REST_MS = 250;

function main() {
  const report = JSON.parse(document.getElementById("report").textContent);
  report.matchAt = new Map(report.matches.map((match) => [match.link, match]));
  for (const match of report.matches) match.playable = match.shown.map((game) => game.number);
  const sections = [featuredSection, standingsSection, crosstableSection, gamesSection, playSection, endingsSection, thinkingSection, conductSection, diceSection]
    .map((build) => build(report)).filter(Boolean);
  const overview = make("div", { class: "overview" }, sections);
  const view = make("div", {});
  const notice = make("p", { class: "notice", role: "alert", hidden: true });
  const intro = make("div", { class: "intro" }, headOf(report.run), make("nav", { "aria-label": say("Sections") },
    make("ul", {}, sections.map((one) => make("li", {}, make("a", { href: `#${one.id}` }, one.querySelector("h2").textContent))))));
  document.getElementById("head").append(make("div", { class: "bar" }, make("a", { href: "#", class: "home" }, "Bräde arena"), make("div", { class: "choices" }, languageButtons(), themeButton())), intro);
  document.getElementById("main").replaceChildren(notice, overview, view);
  document.querySelector(".skip").textContent = say("To the content");
  document.getElementById("foot").append(make("p", {}, say("Made by arena report from the records of the run; they alone are the truth. arena verify checks them again.")));
  const featured = featuredReplay(report, overview);
  let replay = null, timer = null, followed = null;

  const close = () => {
    clearTimeout(timer);
    replay?.stop();
    replay = null;
    view.replaceChildren();
  };
  const show = (isReplay, title) => {
    overview.hidden = isReplay;
    featured(!isReplay);
    document.body.classList.toggle("wide", isReplay);
    intro.hidden = isReplay;
    document.title = title;
  };
  /** Write where the reader rests into the address, unless it leads elsewhere by now and the page is yet to be told. */
  const write = (address) => {
    if (location.hash !== followed) return;
    history.replaceState(null, "", address);
    followed = location.hash;
  };
  const open = (link, number, label) => {
    const match = report.matchAt.get(link);
    const game = match.shown.find((one) => one.number === number);
    if (replay?.match !== match || replay.game !== game) {
      close();
      // The address follows once the reader rests: browsers allow only so many changes of it.
      replay = new Replay(report.run, match, game, (at) => {
        clearTimeout(timer);
        timer = setTimeout(() => write(`#${link}/${number}/${at}`), REST_MS);
      });
      view.replaceChildren(replay.node);
      show(true, `${replay.names.join(" – ")}, ${say("game {number}", { number })} · ${report.run.name}`);
      window.scrollTo(0, 0);
      replay.node.querySelector("h1").focus({ preventScroll: true });
    }
    const place = frameAt(replay.frames, label);
    tell(place < 0 ? say("Game {game} of {match} has no turn {turn}; this is its start.", { game: number, match: link, turn: label }) : "");
    replay.jump(Math.max(0, place));
  };
  /** Say above the page what is wrong with its address; nothing if nothing is. */
  const tell = (words) => {
    notice.textContent = words;
    notice.hidden = !words;
  };
  const route = () => {
    followed = location.hash;
    let address = followed.slice(1);
    try {
      address = decodeURIComponent(address);
    } catch (error) {
      if (!(error instanceof URIError)) throw error; // an address that was cut within a character names nothing here
    }
    const [, link, number, label] = /^([^/]+)\/(\d+)(?:\/(.*))?$/.exec(address) ?? [];
    const isThere = link !== undefined && report.matchAt.get(link)?.playable.includes(Number(number));
    if (isThere) {
      open(link, Number(number), label ?? "0");
      return;
    }
    const target = address && document.getElementById(address);
    tell(link !== undefined ? say("Game {game} of {match} is not in this page.", { game: number, match: link })
      : address && !target ? say("There is nothing called {name} in this page. The sections are linked above, and the games under Games.", { name: address }) : "");
    const wasOpen = replay !== null;
    close();
    show(false, `${report.run.name} · Bräde arena`);
    if (target) target.scrollIntoView();
    else if (wasOpen) window.scrollTo(0, 0);
  };
  window.addEventListener("hashchange", route);
  document.addEventListener("keydown", (event) => replay?.key(event));
  route();
}

/** The game that the report opens with, and why; none if none was won over the board. */
function featuredSection({ featured, matchAt, run }) {
  if (!featured) return null;
  const names = matchAt.get(featured.link).entrants.map((id) => run.names[id]);
  return section("featured", say("One game to begin with"),
    make("p", {}, make("a", { href: `#${featured.link}/${featured.game}/0` }, `${names.join(" – ")}, ${say("game {number}", { number: featured.game })}`), ". ", toldSpan(featured.why)),
    make("div", { class: "featured-game" }));
}

/** Puts the game into its section while the overview is shown, and takes it out before another one is opened. */
function featuredReplay(report, overview) {
  const box = overview.querySelector(".featured-game");
  let replay = null;
  return (isShown) => {
    if (!box || isShown === (replay !== null)) return;
    replay?.stop();
    replay = null;
    if (isShown) {
      const { link, game: number } = report.featured;
      const match = report.matchAt.get(link);
      replay = new Replay(report.run, match, match.shown.find((game) => game.number === number), () => {}, true);
      const shown = replay;
      replay.node.addEventListener("keydown", (event) => shown.key(event));
    }
    box.replaceChildren(...(replay ? [replay.node] : []));
    replay?.jump(replay.frames.length - 1); // once it is on the page: only there its list of turns can scroll
  };
}

main();
