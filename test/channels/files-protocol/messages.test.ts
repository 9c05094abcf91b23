/** The form of a message, as a file and as mail (docs/files-dependencies.md, "Messages"). */
import { describe, expect, test } from "vitest";
import {
  type FileMessage,
  mailBodyOf,
  messageFileName,
  messageInBody,
  messageOfMail,
  parseFileMessage,
  wordsOf,
} from "../../../src/channels/files-protocol/messages.ts";
import type { Message } from "../../../src/soup/message.ts";

const message: FileMessage = {
  from: "collector",
  to: "analyst",
  timestamp: "2026-01-15T10:30:00Z",
  type: "data_ready",
  content: { file: "outbox/data.json" },
};
const text = JSON.stringify(message);
const { to: _to, ...addressless } = message;

/** A message whose content is nested so deep. */
const nested = (depth: number) =>
  text.replace(/"content":.*\}/u, `"content":${"[".repeat(depth)}${"]".repeat(depth)}}`);

describe("a file is a message", () => {
  test("also one with brackets in its texts, and of a reasonable depth", () => {
    const brackets = JSON.stringify({ ...message, content: { text: "[".repeat(1_000), '\\"{': "]}" } });
    expect(parseFileMessage("collector_to_analyst_001.json", brackets)).toMatchObject({ number: 1 });
    expect(parseFileMessage("collector_to_analyst_001.json", nested(50))).toMatchObject({ number: 1 });
  });

  test.each([
    ["collector_to_analyst_001.json", text, 1],
    ["collector_to_analyst_012.json", text, 12],
    ["collector_to_analyst_1000.json", text, 1000],
    [
      "collector_to_analyst_001.json",
      JSON.stringify({ ...message, timestamp: "2026-01-15T10:30:00.5+02:00" }),
      1,
    ],
    ["collector_to_analyst_001.json", JSON.stringify({ ...message, content: "done" }), 1],
    ["collector_to_analyst_001.json", JSON.stringify({ ...message, mail: "m1.1.1" }), 1],
    // Names with the words of the form in them are told apart by what the file says.
    ["a_to_b_to_c_001.json", JSON.stringify({ ...message, from: "a_to_b", to: "c" }), 1],
    ["a_to_b_to_c_001.json", JSON.stringify({ ...message, from: "a", to: "b_to_c" }), 1],
  ])("%s with %s", (file, text, number) => {
    const read = parseFileMessage(file, text);
    expect(read).toEqual({ message: JSON.parse(text), number });
  });

  test.each([
    ["collector_to_analyst_001.json", "", "is no JSON"],
    ["collector_to_analyst_001.json", "{", "is no JSON"],
    ["collector_to_analyst_001.json", "[]", "is no message"],
    ["collector_to_analyst_001.json", nested(30_000), "is nested deeper than 64 levels"],
    ["collector_to_analyst_001.json", nested(100), "is nested deeper than 64 levels"],
    ["collector_to_analyst_001.json", "[".repeat(60_000), "is nested deeper than 64 levels"],
    ["collector_to_analyst_001.json", '\\"'.repeat(30_000), "is no JSON"],
    ["collector_to_analyst_001.json", "null", "is no message"],
    ["collector_to_analyst_001.json", JSON.stringify(addressless), "at to"],
    ["collector_to_analyst_001.json", JSON.stringify({ ...message, type: "shout" }), "at type"],
    ["collector_to_analyst_001.json", JSON.stringify({ ...message, timestamp: "yesterday" }), "at timestamp"],
    ["collector_to_analyst_001.json", JSON.stringify({ ...message, extra: 1 }), "extra"],
    ["collector_to_analyst_001.json", JSON.stringify({ ...message, from: "../collector" }), "at from"],
    ["collector_to_analyst_001.json", JSON.stringify({ ...message, to: "a/b" }), "at to"],
    [
      "collector_to_writer_001.json",
      text,
      "goes from collector to analyst: call it collector_to_analyst_001.json",
    ],
    ["analyst_to_collector_001.json", text, "call it collector_to_analyst_001.json"],
    ["collector_to_analyst_1.json", text, "call it"],
    ["collector_to_analyst_001.txt", text, "call it"],
    ["collector_to_analyst.json", text, "call it"],
    ["collector_to_analyst_00a.json", text, "call it"],
    ["note.md", text, "call it"],
  ])("%s with %s is none: …%s", (file, text, problem) => {
    expect(parseFileMessage(file, text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test("numbers have three digits, and more when they need them", () => {
    expect([7, 99, 100, 1234].map((number) => messageFileName(message, number))).toEqual([
      "collector_to_analyst_007.json",
      "collector_to_analyst_099.json",
      "collector_to_analyst_100.json",
      "collector_to_analyst_1234.json",
    ]);
  });
});

describe("as mail", () => {
  test("a message is a line for people and a line of JSON, and is found in it whole", () => {
    const body = mailBodyOf({ ...message, mail: "m1.1.1" });
    expect(body).toBe(`[data_ready from collector for analyst]\n${text}`);
    expect(messageInBody(body)).toEqual(message);
    expect(messageInBody(`Please see to this.\n\n${body}\n`)).toEqual(message);
  });

  test("line breaks in its content leave it one line", () => {
    const long = { ...message, content: { text: "one\ntwo\r\n\u2028three" } };
    expect(messageInBody(mailBodyOf(long))).toEqual(long);
  });

  test.each(["", "done", nested(30_000), `${text}\nand more`, "{}", '{"from":"x"}'])(
    "there is none in %j",
    (body) => {
      expect(messageInBody(body)).toBeUndefined();
    },
  );
});

test("mail of the greatest length is looked through once, whatever stands in it", () => {
  expect(messageInBody(`{${'\\"'.repeat(120_000)}`)).toBeUndefined();
});

describe("what arrives", () => {
  const now = new Date("2026-02-01T00:00:00Z");
  const lead = { agent: "lead", thread: "state:j:EXECUTE:1" };
  const child = { agent: "collector", thread: "dispatch:1.1.1" };
  const stands = { timestamp: "2026-02-01T00:00:00.000Z", mail: "m1", to: "analyst" };
  const arrives = (mail: Omit<Message, "id">) => messageOfMail("analyst", { id: "m1", ...mail }, now);

  test("a message that the dispatcher passes on comes from who wrote it", () => {
    expect(arrives({ from: lead, kind: "task", body: mailBodyOf(message) })).toEqual({
      ...message,
      mail: "m1",
    });
  });

  test("a message of a child, for whomever, comes from the child", () => {
    const sent = { ...message, to: "writer" };
    expect(arrives({ from: child, kind: "reply", body: mailBodyOf(sent) })).toEqual({ ...sent, mail: "m1" });
  });

  test.each([
    [
      "the human's answer",
      { from: null, kind: "answer", body: "yes", re: "q1.1.1" },
      { ...stands, from: "human", type: "answer", content: { question: "q1.1.1", text: "yes" } },
    ],
    [
      "the human's answer, though it looks like a message",
      { from: null, kind: "answer", body: text, re: "q1.1.1" },
      { ...stands, from: "human", type: "answer", content: { question: "q1.1.1", text } },
    ],
    [
      "what the human tells it",
      { from: null, kind: "human", body: "hurry" },
      { ...stands, from: "human", type: "update", content: { text: "hurry" } },
    ],
    [
      "the reply of a child",
      { from: child, kind: "reply", body: "done" },
      { ...stands, from: "collector", type: "update", content: { text: "done" } },
    ],
    [
      "a child that speaks for somebody else",
      { from: { ...child, agent: "liar" }, kind: "reply", body: mailBodyOf(message) },
      { ...stands, from: "liar", type: "update", content: { text: mailBodyOf(message) } },
    ],
    ["a task in words", { from: lead, kind: "task", body: "collect it" }, undefined],
    [
      "a message for somebody else",
      { from: lead, kind: "task", body: mailBodyOf({ ...message, to: "writer" }) },
      undefined,
    ],
    ["a recovery", { from: lead, kind: "recovery", body: mailBodyOf(message) }, undefined],
    ["a refusal", { from: null, kind: "refusal", body: "no" }, undefined],
    ["control", { from: lead, kind: "control", body: "stop" }, undefined],
  ] as const)("%s", (_name, mail, expected) => {
    expect(arrives(mail)).toEqual(expected);
  });
});

test.each([
  ["which?", "which?"],
  [{ question: "which?", text: "no" }, "which?"],
  [{ text: "which?" }, "which?"],
  [{ options: ["a", "b"] }, '{"options":["a","b"]}'],
  [null, "null"],
])("the words of a question with the content %j", (content, words) => {
  expect(wordsOf(content)).toBe(words);
});
