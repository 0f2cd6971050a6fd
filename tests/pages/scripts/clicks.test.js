// What a click does at the board, and what is left of a turn.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  addedMoves,
  clickOf,
  dropOf,
  forcedDeed,
  goalOf,
  inOrder,
  momentOf,
  movesFrom,
  onlyStart,
  startsOf,
  usedDice,
  wholeDeed,
} from "../../../arena/pages/assets/clicks.js";

/** @import {AtTheBoard, Turned} from "../../../arena/pages/assets/contents.d.ts" */
/** @import {Situation} from "../../../arena/pages/assets/clicks.js" */
/** @import {Slot} from "../../../arena/pages/assets/hand_types.d.ts" */

/**
 * @param {...[Slot, Slot]} moves
 * @returns {Turned[]}
 */
function moves(...moves) {
  return moves.map(([start, target]) => ({ start, target, text: `${start}/${target}` }));
}

/**
 * A roll of 5-2 at which the checkers on 1 and 3 can move.
 *
 * @param {Partial<Situation>} [changes]
 * @returns {Situation}
 */
function situation(changes = {}) {
  const next = moves([1, 6], [1, 3], [3, 5]);
  return { next, far: [], dice: [5, 2], isTables: true, chosen: null, ...changes };
}

/**
 * @param {Partial<AtTheBoard>} [changes]
 * @returns {AtTheBoard}
 */
function table(changes = {}) {
  return {
    phase: "turn",
    question: "q1",
    clocks: { mine_ms: 0, theirs_ms: 0, bank_ms: 0, delay_ms: 0 },
    ruleset: "vasa",
    board: { kind: "tables", facing: "same_way", remembers: [], colours: [] },
    seat: 1,
    colour: "",
    game: 1,
    games: 3,
    position: "",
    before: "",
    dice: [5, 2],
    dice_left: [5, 2],
    moves: [],
    text: "",
    next: moves([1, 6], [1, 3]),
    far: [],
    whole: [],
    only: null,
    is_whole: false,
    worth: null,
    pass_clause: "",
    calls: [],
    can_offer_draw: false,
    is_draw_offered: false,
    left_ms: null,
    log: [],
    theirs: null,
    score: [0, 0],
    over: [],
    ...changes,
  };
}

describe("checkers that can be lifted, and where they land", () => {
  test("each checker is named once", () => {
    assert.deepEqual(startsOf(moves([1, 6], [1, 3], [3, 5])), new Set([1, 3]));
  });

  test("a checker lands where one of its moves ends", () => {
    assert.deepEqual(movesFrom(moves([1, 6], [3, 5]), 3), moves([3, 5]));
  });

  test("no checker lands before one is chosen", () => {
    assert.deepEqual(movesFrom(moves([1, 6]), null), []);
  });

  test("the only checker that can move is chosen at once", () => {
    assert.equal(onlyStart(moves([0, 5], [0, 2])), 0);
    assert.equal(onlyStart(moves([1, 6], [3, 5])), null);
    assert.equal(onlyStart([]), null);
  });
});

describe("a turn to which nothing can be added", () => {
  const whole = { moves: [[1, 6]], is_whole: true, next: [] };

  test("it plays itself after a time in which it can be taken back, with the offer of a draw", () => {
    const deed = wholeDeed(table(whole), true);
    assert.deepEqual(deed, {
      deed: "confirm",
      fields: { question: "q1", offers_draw: true },
      afterMs: 2000,
    });
  });

  test("in Brandubh it is played at once", () => {
    const board = { ...table().board, kind: /** @type {const} */ ("brandubh") };
    assert.equal(wholeDeed(table({ ...whole, board }), false)?.afterMs, 0);
  });

  test("it waits while something can be added or is missing, and a pass is no such turn", () => {
    assert.equal(wholeDeed(table({ ...whole, next: moves([3, 5]) }), false), null);
    assert.equal(wholeDeed(table({ ...whole, is_whole: false }), false), null);
    assert.equal(wholeDeed(table({ ...whole, moves: [] }), false), null);
    assert.equal(wholeDeed(table({ ...whole, phase: "waiting" }), false), null);
  });
});

describe("a chosen checker and a point that is farther than a die goes", () => {
  const next = moves([12, 17], [12, 14]);
  const chosen = situation({ chosen: 12, next, far: moves([12, 19]) });

  test("it goes there by both dice, also to a point of its own side", () => {
    assert.deepEqual(clickOf(chosen, 19, true, false), { kind: "move", start: 12, target: 19 });
  });

  test("another checker is meant where no dice lead there, and itself by a second click", () => {
    assert.notDeepEqual(clickOf(chosen, 20, true, false), {
      kind: "move",
      start: 12,
      target: 20,
    });
    assert.notEqual(clickOf(chosen, 12, true, true)?.kind, "move");
  });
});

describe("a click on a free place while nothing is chosen", () => {
  test("it lands the only checker that can", () => {
    assert.deepEqual(clickOf(situation(), 5, false, false), { kind: "move", start: 3, target: 5 });
  });

  test("it lands the only checker that can by several dice, unless another can by one", () => {
    const far = moves([1, 8], [1, 5]);
    const byBoth = situation({ far });
    assert.deepEqual(clickOf(byBoth, 8, false, false), { kind: "move", start: 1, target: 8 });
    assert.deepEqual(clickOf(byBoth, 5, false, false), { kind: "move", start: 3, target: 5 });
  });

  test("it does nothing where none or several can land, and in Brandubh", () => {
    const two = situation({ next: moves([1, 6], [4, 6]) });
    assert.equal(clickOf(two, 6, false, false), null);
    assert.equal(clickOf(situation(), 9, false, false), null);
    assert.equal(clickOf(situation({ isTables: false }), 5, false, false), null);
  });
});

describe("where a click takes a checker", () => {
  test("it goes by the first die", () => {
    assert.equal(goalOf(situation(), 1), 6);
    assert.equal(goalOf(situation({ dice: [2, 5] }), 1), 3);
  });

  test("it goes by the other die if the first one cannot be used", () => {
    assert.equal(goalOf(situation(), 3), 5);
  });

  test("it would go by the first die if none can be used, so that the referee says why not", () => {
    assert.equal(goalOf(situation(), 10), 15);
  });

  test("beyond the last point it goes off", () => {
    assert.equal(goalOf({ next: moves([22, 25]), dice: [5] }, 22), 25);
  });

  test("without dice it goes nowhere", () => {
    assert.equal(goalOf({ next: [], dice: [] }, 1), undefined);
  });
});

describe("a click in a tables game", () => {
  test("it moves the checker that is clicked", () => {
    assert.deepEqual(clickOf(situation(), 3, true, false), { kind: "move", start: 3, target: 5 });
  });

  test("it tries a move that cannot be: the referee says why", () => {
    const click = clickOf(situation(), 10, true, false);
    assert.deepEqual(click, { kind: "move", start: 10, target: 15 });
  });

  test("it lands the chosen checker, also on a checker of one's own", () => {
    const click = clickOf(situation({ chosen: 1 }), 3, true, false);
    assert.deepEqual(click, { kind: "move", start: 1, target: 3 });
  });

  test("it tries to land the chosen checker on a place without a checker of one's own", () => {
    const click = clickOf(situation({ chosen: 1 }), 12, false, false);
    assert.deepEqual(click, { kind: "move", start: 1, target: 12 });
  });

  test("it tries to land the chosen checker as far as a die goes, on whatever stands there", () => {
    const click = clickOf(situation({ chosen: 3 }), 8, true, false);
    assert.deepEqual(click, { kind: "move", start: 3, target: 8 });
  });

  test("it moves another checker than the chosen one", () => {
    const click = clickOf(situation({ chosen: 1 }), 10, true, false);
    assert.deepEqual(click, { kind: "move", start: 10, target: 15 });
  });

  test("it moves the chosen checker itself by the first die", () => {
    const click = clickOf(situation({ chosen: 1 }), 1, true, false);
    assert.deepEqual(click, { kind: "move", start: 1, target: 6 });
  });

  test("it does nothing on an empty place if no checker is chosen", () => {
    assert.equal(clickOf(situation(), 12, false, false), null);
  });

  test("it does nothing on a checker once no die is left", () => {
    assert.equal(clickOf(situation({ next: [], dice: [] }), 3, true, false), null);
  });
});

describe("a key on a place", () => {
  test("it chooses a checker, and moves none that is not chosen", () => {
    assert.deepEqual(clickOf(situation(), 3, true, true), { kind: "choose", slot: 3 });
  });

  test("it lands the chosen checker", () => {
    const click = clickOf(situation({ chosen: 1 }), 6, false, true);
    assert.deepEqual(click, { kind: "move", start: 1, target: 6 });
  });
});

describe("a click in Brandubh", () => {
  const next = moves(["d1", "c1"], ["d3", "c3"]);
  const squares = { next, far: [], dice: [], isTables: false };

  test("it chooses a piece", () => {
    const click = clickOf({ ...squares, chosen: null }, "d1", true, false);
    assert.deepEqual(click, { kind: "choose", slot: "d1" });
  });

  test("it chooses another piece", () => {
    const click = clickOf({ ...squares, chosen: "d1" }, "d3", true, false);
    assert.deepEqual(click, { kind: "choose", slot: "d3" });
  });

  test("it tries to land the chosen piece on any square without one", () => {
    const click = clickOf({ ...squares, chosen: "d1" }, "a7", false, false);
    assert.deepEqual(click, { kind: "move", start: "d1", target: "a7" });
  });
});

describe("a checker that is dropped", () => {
  test("it moves to where it is dropped, legal or not", () => {
    assert.deepEqual(dropOf(1, 9), { kind: "move", start: 1, target: 9 });
  });

  test("back on its place, or beside the board, it is chosen", () => {
    assert.deepEqual(dropOf(1, 1), { kind: "choose", slot: 1 });
    assert.deepEqual(dropOf(0, null), { kind: "choose", slot: 0 });
  });
});

describe("dice", () => {
  test("the larger one lies first until they are swapped", () => {
    assert.deepEqual(inOrder([2, 5], false), [5, 2]);
    assert.deepEqual(inOrder([2, 5], true), [2, 5]);
  });

  test("their order in the state stays", () => {
    const dice = [2, 5];
    inOrder(dice, false);
    assert.deepEqual(dice, [2, 5]);
  });

  test("a die that is left is not used", () => {
    assert.deepEqual(usedDice([5, 2], [5, 2]), [false, false]);
    assert.deepEqual(usedDice([5, 2], [5]), [false, true]);
    assert.deepEqual(usedDice([5, 2], []), [true, true]);
  });

  for (const [left, used] of /** @type {[number, boolean[]][]} */ ([
    [4, [false, false]],
    [3, [false, false]],
    [2, [false, true]],
    [1, [false, true]],
    [0, [true, true]],
  ])) {
    test(`of a double with ${left} moves left, the second die is used up first`, () => {
      assert.deepEqual(usedDice([3, 3], Array(left).fill(3)), used);
    });
  }

  test("a turn without dice has none that are used", () => {
    assert.deepEqual(usedDice([], []), []);
  });
});

describe("a moment", () => {
  /** @type {[string, Partial<AtTheBoard>][]} */
  const changes = [
    ["another question", { question: "q2" }],
    ["another phase", { phase: "waiting" }],
    ["a move", { moves: [[1, 6]] }],
    ["another game", { game: 2 }],
    ["an offered draw", { is_draw_offered: true }],
  ];
  for (const [words, change] of changes) {
    test(`${words} makes another one`, () => {
      assert.notEqual(momentOf(table()), momentOf(table(change)));
    });
  }

  test("time that goes by does not", () => {
    assert.equal(momentOf(table({ left_ms: 9000 })), momentOf(table({ left_ms: 8000 })));
  });
});

describe("moves that have come to a turn", () => {
  const one = table({ moves: [[1, 6]] });

  test("the last ones of the same turn", () => {
    const both = table({
      moves: [
        [1, 6],
        [6, 8],
      ],
    });
    assert.deepEqual(addedMoves(one, both), [[6, 8]]);
  });

  test("none after moves were taken back", () => {
    assert.deepEqual(addedMoves(one, table()), []);
  });

  test("none in another turn, or on a page that was just opened", () => {
    assert.deepEqual(addedMoves(table({ question: "q0" }), one), []);
    assert.deepEqual(addedMoves(undefined, one), []);
  });
});

describe("a roll without a choice", () => {
  const only = [
    [1, 6],
    [6, 8],
  ];

  test("the only turn is played", () => {
    const forced = forcedDeed(table({ only }));
    assert.equal(forced?.deed, "turn");
    assert.deepEqual(forced?.fields, { question: "q1", moves: only });
  });

  test("once it is played it is confirmed, without the offer of a draw", () => {
    const forced = forcedDeed(table({ only, moves: only, is_whole: true, next: [] }));
    assert.equal(forced?.deed, "confirm");
    assert.deepEqual(forced?.fields, { question: "q1", offers_draw: false });
  });

  test("a pass is confirmed", () => {
    const forced = forcedDeed(table({ only: [], is_whole: true, next: [], pass_clause: "B5.3" }));
    assert.equal(forced?.deed, "confirm");
  });

  test("the only move that can follow a first one is played", () => {
    const forced = forcedDeed(table({ moves: [[1, 6]], next: moves([6, 8]) }));
    assert.equal(forced?.deed, "move");
    assert.deepEqual(forced?.fields, { question: "q1", moves: [[6, 8]] });
  });

  test("the first move of a turn with a choice is left to the person", () => {
    assert.equal(forcedDeed(table({ next: moves([1, 6]) })), null);
  });

  test("nothing is played where there is a choice", () => {
    assert.equal(forcedDeed(table({ moves: [[1, 6]] })), null);
  });

  test("nothing is played while a draw is offered, or in another phase", () => {
    assert.equal(forcedDeed(table({ only, is_draw_offered: true })), null);
    assert.equal(forcedDeed(table({ only, phase: "waiting" })), null);
  });

  test("a turn that is not whole is not confirmed", () => {
    assert.equal(forcedDeed(table({ only, moves: only, is_whole: false })), null);
  });
});
