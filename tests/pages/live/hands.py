"""The hands of a person in Chromium: the next thing that a page of playing asks for, by keyboard, pointer or touch.

Keys, clicks and taps are those of the browser, at the places where the page has drawn things. One
look waits for what is due and says where it is; so nothing is asked twice, and no turn waits for
the clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from tests.browser import PATIENCE_MS

Hand = Literal["keyboard", "pointer", "touch"]
HANDS: tuple[Hand, ...] = ("keyboard", "pointer", "touch")
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
"""Where a hand taps."""
STEPS = 3000
"""Far more than a match here has of anything."""

LOOK = """([seen, start, target, patience, isTap]) => new Promise((resolve) => {
  const main = document.querySelector("#main"), find = (where) => main.querySelector(where);
  const at = (node) => {
    if (!node) return null;
    const { left, top, width, height } = node.getBoundingClientRect(), { innerWidth: wide, innerHeight: high } = window;
    const x = left + width / 2, y = top + height / 2;
    if (x > 0 && y > 0 && x < wide && y < high) return { x, y };
    node.scrollIntoView({ block: "center" });
    return at(node);
  };
  const spot = (slot, kind) => find(slot === null ? `.spot.${kind}` : `.spot.${kind}[data-slot="${slot}"]`);
  const middle = (one) => {
    const { left, top, width, height } = one.querySelector("rect").getBoundingClientRect();
    return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
  };
  // the keys from one place to another: to its row, then along it
  const arrows = (all, from, to) => {
    const keys = [], goal = middle(to);
    const nearest = (these, x) => these.sort((one, other) => Math.abs(middle(one).x - x) - Math.abs(middle(other).x - x))[0];
    let here = from;
    while (Math.abs(middle(here).y - goal.y) > 2) {
      const down = Math.sign(goal.y - middle(here).y);
      const rows = all.map((one) => (middle(one).y - middle(here).y) * down).filter((way) => way > 2);
      const way = Math.min(...rows);
      const row = all.filter((one) => Math.abs((middle(one).y - middle(here).y) * down - way) <= 2);
      here = nearest(row, middle(here).x);
      keys.push(down > 0 ? "ArrowDown" : "ArrowUp");
    }
    while (here !== to) {
      const right = Math.sign(goal.x - middle(here).x);
      const row = all.filter((one) => Math.abs(middle(one).y - goal.y) <= 2 && (middle(one).x - middle(here).x) * right > 0);
      here = nearest(row, middle(here).x);
      keys.push(right > 0 ? "ArrowRight" : "ArrowLeft");
    }
    return keys;
  };
  const due = () => {
    if (main.dataset.drawn === seen) return null;
    if (find(".match-over")) return { what: "over" };
    const button = find(".go-on") ?? find(".hand-buttons .main:not([disabled])");
    const [what, node, place] = button ? ["button", button, button] : spot(target, "can-land")
      ? ["land", spot(target, "can-land"), spot(target, "can-land").querySelector("rect")]
      : isTap && target !== null && ![undefined, String(target)].includes(spot(start, "can-lift")?.dataset.goal)
      ? ["dice", find(".die"), find(".die")]
      : ["lift", spot(start, "can-lift"), spot(start, "can-lift")?.querySelector("rect")];
    if (!node) return null;
    const all = [...main.querySelectorAll(".spot[tabindex]")], here = all.indexOf(document.activeElement);
    const picked = find(".selected circle"), isPlace = all.includes(node);
    return {
      what, is_tables: Boolean(find(".board.tables")), isFocused: document.activeElement === node, isOnBoard: here >= 0,
      keys: isPlace ? arrows(all, all[Math.max(here, 0)], node) : [], place: at(place),
      from: what === "land" && picked ? at(picked) : null, drawn: main.dataset.drawn,
    };
  };
  const watcher = new MutationObserver(() => setTimeout(look)), begun = performance.now();
  const look = () => {
    const found = due();
    if (!found && performance.now() - begun < patience) return false;
    watcher.disconnect();
    clearTimeout(timer);
    resolve(found ?? { what: "nothing" });
    return true;
  };
  const timer = setTimeout(look, patience + 1);
  if (!look()) watcher.observe(document.body, { subtree: true, childList: true, attributes: true });
})"""
"""What is due once the page has drawn something else than `seen`, and where; `start` and `target`
choose a move."""


class Hands:
    def __init__(self, page: Any, hand: Hand) -> None:
        self.page, self.hand = page, hand
        self._seen: str | None = None
        self._has_pressed = False

    def look(self, move: Sequence[int | str] | None = None) -> Any:
        """What is due: `lift` a checker, `land` it, press a `button`, or the match is `over`."""
        start, target = move or (None, None)
        found = self.page.evaluate(
            LOOK, [self._seen, start, target, PATIENCE_MS, self.hand == "touch"]
        )
        assert found["what"] != "nothing", (
            f"nothing happens any more: {self.page.locator('#main').inner_text()}"
        )
        return found

    def do(self, due: Any) -> None:
        """Do what is due; the page then draws something else, unless a checker was only chosen."""
        is_move = self.hand == "touch" and due["is_tables"]  # a tap on a checker moves it
        self._seen = (
            None
            if due["what"] == "dice" or (due["what"] == "lift" and not is_move)
            else due["drawn"]
        )
        if self.hand == "keyboard":
            self._press(due)
        elif self.hand == "pointer" and due["what"] == "land":
            self._drag(due)
        elif self.hand == "pointer" and due["what"] == "lift":
            self.page.mouse.click(**due["place"], button="right")
        elif due["what"] == "dice":
            self.page.touchscreen.tap(**due["place"])
        elif self.hand == "pointer":
            self.page.mouse.click(**due["place"])
        else:
            self.page.touchscreen.tap(**due["place"])

    def _press(self, due: Any) -> None:
        """Enter does the next thing; arrows go to another checker, and the tabulator to the board or a button."""
        keys = self.page.keyboard
        if not due["isFocused"] and due["what"] == "button":
            assert not self._has_pressed, (
                "the page has lost the focus of somebody who plays by keyboard"
            )
            self.page.locator(".go-on, .hand-buttons .main:not([disabled])").first.focus()
        elif not due["isFocused"]:
            if not due["isOnBoard"]:
                self.page.locator(".spot[tabindex]").first.focus()
            for key in due["keys"]:
                keys.press(key)
        keys.press("Enter")
        self._has_pressed = True

    def _drag(self, due: Any) -> None:
        """The chosen checker, to where it may land."""
        mouse, start, target = self.page.mouse, due["from"], due["place"]
        mouse.move(**start)
        mouse.down()
        mouse.move(start["x"], start["y"] - 30, steps=2)
        mouse.move(**target)
        mouse.up()

    def touch(self, node: Any, *, is_answer: bool = False) -> None:
        """Press a button or tick a box that is not the next thing to do; after an answer the page draws anew."""
        if is_answer:
            self.await_change()
        if self.hand == "keyboard":
            node.press("Space")
        elif self.hand == "pointer":
            node.click()
        else:
            node.tap()

    def choose(self, selector: str, *, is_answer: bool = False) -> None:
        """Choose something from the menu beside the buttons."""
        self.touch(self.page.locator(".more-menu summary"))
        self.touch(self.page.locator(f".menu {selector}"), is_answer=is_answer)

    def await_change(self) -> None:
        """What the page shows now is over: the next look waits until it draws something else."""
        self._seen = self.page.locator("#main").get_attribute("data-drawn")

    def turn(self, moves: Sequence[Sequence[int | str]]) -> None:
        """Play these moves and confirm the turn; a pass is none."""
        for move in moves:
            due = self.look(move)
            if due["what"] == "dice":
                self.do(due)
                due = self.look(move)
            assert due["what"] != "dice", "the dice are not swapped"
            is_chosen = due["what"] == "lift" and not (self.hand == "touch" and due["is_tables"])
            self.do(due)
            if is_chosen:
                self.do(self.look(move))
        due = self.look()
        assert due["what"] == "button", (
            f"the turn is not whole: {self.page.locator('#main').inner_text()}"
        )
        self.do(due)

    def play(self) -> None:
        """The first moves that the page offers, to the end of the match."""
        for _ in range(STEPS):
            due = self.look()
            if due["what"] == "over":
                return
            self.do(due)
        raise AssertionError("the match does not end")
