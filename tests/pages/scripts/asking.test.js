// Questions to a server, messages of a stream, and names between other words.

import "./english_page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { fetched, NoAnswer, untilAnswered } from "../../../arena/pages/assets/asking.js";
import { messagesIn } from "../../../arena/pages/assets/live_stream.js";
import { isolated, say, told } from "../../../arena/pages/assets/words.js";

/** @param {Response | TypeError} outcome What the next requests come to. */
function answerWith(outcome) {
  globalThis.fetch = async () => {
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
}

test("a lost connection is no answer, and a refusal is the server's own sentence", async () => {
  answerWith(new TypeError("Failed to fetch"));
  await assert.rejects(fetched("api/run"), NoAnswer);
  answerWith(new Response("There is no such bot.", { status: 404 }));
  await assert.rejects(fetched("api/bots/x"), { message: "There is no such bot." });
  answerWith(new Response("", { status: 502 }));
  await assert.rejects(fetched("api/run"), { message: "The server has no answer (502)." });
  answerWith(new Response('{"run": 1}'));
  assert.deepEqual(await fetched("api/run"), { run: 1 });
});

test("only silence is asked through", async () => {
  let asked = 0;
  const refuse = () => {
    asked += 1;
    throw new Error("refused");
  };
  const isWanted = () => true;
  const tell = () => assert.fail("it is no silence");
  await assert.rejects(untilAnswered(refuse, isWanted, tell), { message: "refused" });
  assert.equal(asked, 1);
});

test("nobody is told of silence when the answer is not wanted any more", async () => {
  const silent = () => {
    throw new NoAnswer();
  };
  const tell = () => assert.fail("nobody waits");
  await assert.rejects(
    untilAnswered(silent, () => false, tell),
    NoAnswer,
  );
});

test("a message ends with an empty line, and comes in any pieces", () => {
  const first = messagesIn('event: news\nid: 3\ndata: {"a": 1}\n\n: still here\n\nevent: ne');
  assert.deepEqual(first.messages, [{ event: "news", id: "3", data: '{"a": 1}' }]);
  const second = messagesIn(`${first.unfinished}ws\ndata: []\n\n`);
  assert.deepEqual(second, {
    messages: [{ event: "news", id: undefined, data: "[]" }],
    unfinished: "",
  });
});

test("a name from right to left is isolated in titles and sentences, others stay as they are", () => {
  assert.equal(isolated("bot-2 ÅÄÖ 北京"), "bot-2 ÅÄÖ 北京");
  for (const name of ["محمد", "שרה", "a\u202eb", "𞤀𞤁"])
    assert.equal(isolated(name), `\u2068${name}\u2069`);
  assert.equal(say("{name} begins", { name: "שרה" }), "\u2068שרה\u2069 begins");
  const both = told(["and", { first: "anna", last: "שרה" }]);
  assert.equal(both, "anna and \u2068שרה\u2069");
});
