// Puts the page together and follows its address: `#standings` is a section, `#r1-anna-v-bo/2/17` a turn of a game.

const REST_MS = 250;

function main() {
  const report = JSON.parse(document.getElementById("report").textContent);
  report.sittingAt = new Map(report.sittings.map((sitting) => [sitting.link, sitting]));
  report.replayable = new Set(report.matches.flatMap((match) => match.replayable));
  const sections = [standingsSection, crosstableSection, matchesSection, endingsSection, thinkingSection, conductSection, diceSection]
    .map((build) => build(report)).filter(Boolean);
  const overview = make("div", { class: "overview" }, sections);
  const view = make("div", {});
  const notice = make("p", { class: "notice", role: "alert", hidden: true });
  const intro = make("div", { class: "intro" }, headOf(report), make("nav", { "aria-label": "Sections" },
    make("ul", {}, sections.map((one) => make("li", {}, make("a", { href: `#${one.id}` }, one.querySelector("h2").textContent))))));
  document.getElementById("head").append(make("div", { class: "bar" }, make("a", { href: "#", class: "home" }, "Bräde arena"), themeButton()), intro);
  document.getElementById("main").replaceChildren(notice, overview, view);
  let replay = null, timer = null;

  const close = () => {
    clearTimeout(timer);
    replay?.stop();
    replay = null;
    view.replaceChildren();
  };
  const show = (isReplay, title) => {
    overview.hidden = isReplay;
    intro.hidden = isReplay;
    document.title = title;
  };
  const open = (link, number, label) => {
    const sitting = report.sittingAt.get(link);
    const game = sitting.games.find((one) => one.number === number);
    if (replay?.sitting !== sitting || replay.game !== game) {
      close();
      // The address follows once the reader rests: browsers allow only so many changes of it.
      replay = new Replay(report, sitting, game, (at) => {
        clearTimeout(timer);
        timer = setTimeout(() => history.replaceState(null, "", `#${link}/${number}/${at}`), REST_MS);
      });
      view.replaceChildren(replay.node);
      show(true, `${replay.names.join(" – ")}, game ${number} · ${report.run.name}`);
      window.scrollTo(0, 0);
      replay.node.querySelector("h1").focus({ preventScroll: true });
    }
    replay.jump(Math.max(0, frameAt(replay.frames, label)));
  };
  const route = () => {
    let address = location.hash.slice(1);
    try {
      address = decodeURIComponent(address);
    } catch (error) {
      if (!(error instanceof URIError)) throw error; // an address that was cut within a character names nothing here
    }
    const [, link, number, label] = /^([^/]+)\/(\d+)(?:\/(.*))?$/.exec(address) ?? [];
    const isThere = link !== undefined && report.replayable.has(`${link}/${Number(number)}`);
    notice.hidden = link === undefined || isThere;
    if (isThere) {
      open(link, Number(number), label ?? "0");
      return;
    }
    if (link !== undefined) notice.textContent = `Game ${number} of ${link} is not in this page.`;
    const wasOpen = replay !== null;
    close();
    show(false, `${report.run.name} · Bräde arena`);
    const target = address && document.getElementById(address);
    if (target) target.scrollIntoView();
    else if (wasOpen) window.scrollTo(0, 0);
  };
  window.addEventListener("hashchange", route);
  document.addEventListener("keydown", (event) => replay?.key(event));
  route();
}

/** Light or dark as the system has it, until the reader says otherwise; remembered where the browser allows it. */
function themeButton() {
  const root = document.documentElement;
  const button = make("button", { type: "button", class: "theme" });
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const show = () => { button.textContent = isDark() ? "☀ Light" : "☾ Dark"; };
  const kept = remembered();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remembered(root.dataset.theme);
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  return button;
}

/** Keep the theme, or without an argument say which is kept; a browser may refuse storage to a file. */
function remembered(theme) {
  try {
    if (theme !== undefined) localStorage.setItem("arena-report-theme", theme);
    return localStorage.getItem("arena-report-theme");
  } catch {
    return null;
  }
}

main();
