// Small drawings beside numbers that stand there as text as well, so that they are hidden from screen readers.

/** A value with its interval on a scale that is the same for all rows; `low` and `high` are the ends of the scale. */
function errorBar(value, interval, low, high) {
  const width = 150, height = 18, middle = height / 2;
  const at = (each) => 4 + (width - 8) * Math.min(1, Math.max(0, (each - low) / (high - low || 1)));
  const picture = draw("svg", { class: "error-bar", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  if (low < 0 && high > 0) picture.append(draw("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: height }));
  if (interval) {
    const [from, to] = interval.map(at);
    picture.append(
      draw("line", { class: "whisker", x1: from, x2: to, y1: middle, y2: middle }),
      draw("line", { class: "whisker", x1: from, x2: from, y1: middle - 4, y2: middle + 4 }),
      draw("line", { class: "whisker", x1: to, x2: to, y1: middle - 4, y2: middle + 4 }),
    );
  }
  picture.append(draw("circle", { class: "dot", cx: at(value), cy: middle, r: 4 }));
  return picture;
}

/** Columns for counts, with their names below and what each means when pointed at; `expected` is a line across. */
function columns(counts, names, titles, expected = null) {
  const step = 26, height = 60, width = step * counts.length;
  const most = Math.max(1, expected ?? 0, ...counts);
  const bars = counts.map((count, place) => {
    const tall = count ? Math.max(1.5, (height - 4) * count / most) : 0;
    return draw("g", {}, draw("title", {}, titles[place]),
      draw("rect", { class: "column", x: step * place + 3, y: height - tall, width: step - 6, height: tall, rx: 2 }),
      draw("rect", { class: "catch", x: step * place, y: 0, width: step, height: height + 16 }),
      draw("text", { x: step * (place + 0.5), y: height + 13, "text-anchor": "middle" }, names[place]));
  });
  const line = expected === null ? [] : [draw("line", {
    class: "expected", x1: 0, x2: width, y1: height - (height - 4) * expected / most, y2: height - (height - 4) * expected / most,
  })];
  return draw("svg", { class: "columns", viewBox: `0 0 ${width} ${height + 16}`, width, height: height + 16, "aria-hidden": "true" },
    draw("line", { class: "ground", x1: 0, x2: width, y1: height, y2: height }), bars, line);
}

/** A cell whose colour says how sure it is that the row is stronger (1) or weaker (0) than the column. */
function shadedCell(superior, ...children) {
  const cell = make("td", { class: "shaded" }, ...children);
  if (superior !== null) {
    cell.classList.add(superior >= 0.5 ? "stronger" : "weaker");
    // Nothing below 75 %: that much is seen by chance half the time. Full colour from 97.5 % on, the usual level.
    cell.style.setProperty("--sure", String(Math.min(1, Math.max(0, (Math.abs(superior - 0.5) - 0.25) / 0.225)).toFixed(3)));
  }
  return cell;
}
