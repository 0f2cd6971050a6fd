// What the reader chooses for all pages: light or dark, and the language.

/** Light or dark as the system has it, until the reader says otherwise; remembered where the browser allows it. */
function themeButton() {
  const root = document.documentElement;
  const button = make("button", { type: "button", class: "theme" });
  const isDark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const show = () => { button.textContent = isDark() ? `☀ ${say("Light")}` : `☾ ${say("Dark")}`; };
  const kept = keptChoice("arena-report-theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keptChoice("arena-report-theme", root.dataset.theme);
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  return button;
}

/** Buttons for the other languages; the page is drawn anew in the chosen one. */
function languageButtons() {
  return Object.entries(LANGUAGE_NAMES).filter(([tag]) => tag !== LANGUAGE).map(([tag, name]) => {
    const button = make("button", { type: "button", class: "language", lang: tag }, name);
    button.addEventListener("click", () => {
      keptChoice("arena-language", tag);
      location.reload();
    });
    return button;
  });
}
