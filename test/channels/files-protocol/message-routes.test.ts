/** What becomes of a message that an agent has written (docs/files-dependencies.md, "Where a message goes"). */
import { expect, test } from "vitest";
import { callFor, type Surroundings } from "../../../src/channels/files-protocol/message-routes.ts";
import { type FileMessage, mailBodyOf } from "../../../src/channels/files-protocol/messages.ts";

const parent = { agent: "lead", thread: "state:j:EXECUTE:1" };
const around: Surroundings = {
  agent: "analyst",
  parent,
  children: [
    { agent: "reader", thread: "dispatch:2.1.1" },
    { agent: "counter", thread: "dispatch:2.1.2" },
    { agent: "counter", thread: "dispatch:2.1.3" },
  ],
  siblings: ["analyst", "collector", "writer", "reader"],
};

const written = (to: string, keys: Partial<FileMessage> = {}): FileMessage => ({
  from: "analyst",
  to,
  timestamp: "2026-01-15T10:30:00Z",
  type: "update",
  content: { text: "half of it is done" },
  ...keys,
});
const send = (to: { agent: string; thread: string }, message: FileMessage) => ({
  call: {
    verb: "send",
    to: to.agent,
    thread: to.thread,
    message: mailBodyOf(message),
    files: [],
    optional: false,
  },
});

const reader = { agent: "reader", thread: "dispatch:2.1.1" };
const passedOn = written("reader", { from: "counter" });

test.each([
  ["an update to parent", written("parent"), send(parent, written("lead"))],
  [
    "data_ready to its dispatcher by name",
    written("lead", { type: "data_ready" }),
    send(parent, written("lead", { type: "data_ready" })),
  ],
  [
    "a question to its dispatcher",
    written("lead", { type: "question" }),
    send(parent, written("lead", { type: "question" })),
  ],
  [
    "an answer to a sibling",
    written("collector", { type: "answer" }),
    send(parent, written("collector", { type: "answer" })),
  ],
  [
    "a question to a sibling",
    written("writer", { type: "question" }),
    send(parent, written("writer", { type: "question" })),
  ],
  [
    "a question to the human",
    written("human", { type: "question", content: { question: "which?" } }),
    { call: { verb: "ask", text: "which?" } },
  ],
  ["an update to a child, though a sibling has its name", written("reader"), send(reader, written("reader"))],
  ["what a child says to another one, passed on", passedOn, send(reader, passedOn)],
])("%s becomes a call", (_name, message, expected) => {
  expect(callFor(message, around)).toEqual(expected);
});

test.each([
  ["an update to the human", written("human"), "is no question, and human is only asked"],
  [
    "one to nobody",
    written("stranger"),
    "goes to stranger: there are human, parent, reader, counter, collector, writer",
  ],
  ["one to itself", written("analyst"), "goes to analyst: there are"],
  [
    "one to a child of which there are two",
    written("counter"),
    "several conversations are open (dispatch:2.1.2, dispatch:2.1.3)",
  ],
  [
    "one of somebody else",
    written("lead", { from: "collector" }),
    "comes from collector, and only analyst writes here",
  ],
  [
    "a child's to the human, passed on",
    written("human", { from: "reader", type: "question" }),
    "comes from reader",
  ],
  ["a child's to the dispatcher, passed on", written("lead", { from: "reader" }), "comes from reader"],
])("%s is refused: …%s", (_name, message, problem) => {
  expect(callFor(message, around)).toEqual({ problem: expect.stringContaining(problem) });
});

test("the lead of a state has children and the human, and nobody else", () => {
  const lead = { ...around, parent: null, siblings: [] };
  expect(callFor(written("reader"), lead)).toEqual(send(reader, written("reader")));
  expect(callFor(written("parent"), lead)).toEqual({
    problem: "goes to parent, with whom no conversation is open",
  });
  expect(callFor(written("collector"), lead)).toEqual({
    problem: "goes to collector, with whom no conversation is open",
  });
});
