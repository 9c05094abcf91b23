/** Early refusal as a table: what a turn may send, ask, close and decide, and what the sentence says when it may not. */
import { describe, expect, test } from "vitest";
import { admit, admitOutcome, MESSAGE_BYTES_MAX, type Call } from "../../src/runtime/admission.ts";
import type { TurnFacts } from "../../src/runtime/agents/port.ts";
import type { OutboxEntry } from "../../src/runtime/outbox.ts";
import { PLAIN_TURN } from "./plain-turn.ts";

const lead: TurnFacts = {
  job: "j",
  thread: "state:j:EXECUTE:1",
  turn: 2,
  agent: "lead",
  serial: 4,
  state: "EXECUTE",
  lead: true,
  roster: ["writer", "tester"],
  parent: null,
  children: [],
  closed: ["dispatch:4.1.1"],
  cap: 2,
  overCap: "refuse",
  policy: "when_unsure",
  outcomes: ["APPROVED_WORK", "REALIGN", "REPLAN", "WITHDRAW"],
  workspace: "/w",
  ...PLAIN_TURN,
};
const child: TurnFacts = {
  ...lead,
  thread: "dispatch:4.2.1",
  agent: "writer",
  serial: 5,
  lead: false,
  roster: ["tester"],
  parent: { agent: "lead", thread: lead.thread },
  closed: [],
  outcomes: [],
};
const one = { ...lead, children: [{ agent: "writer", thread: "dispatch:4.1.2" }] };
const full = { ...lead, children: [...one.children, { agent: "tester", thread: "dispatch:4.1.3" }] };

const send = (to: string, over: Partial<Extract<Call, { verb: "send" }>> = {}): Call => {
  return { verb: "send", to, message: "do it", files: [], optional: false, ...over };
};
const close = (thread: string): Call => ({ verb: "close", thread });
const sent = (to: string, thread: string, opens = true): OutboxEntry => {
  return { verb: "send", to, thread, opens, message: "do it", files: [], optional: false };
};

type Row = readonly [
  what: string,
  facts: TurnFacts,
  buffered: readonly OutboxEntry[],
  call: Call,
  result: object | RegExp,
];

describe.each<readonly [string, readonly Row[]]>([
  [
    "sending without a thread",
    [
      ["to the roster opens a conversation", lead, [], send("writer"), sent("writer", "dispatch:4.2.1")],
      [
        "counts the calls before it",
        lead,
        [{ verb: "none" }],
        send("writer"),
        sent("writer", "dispatch:4.2.2"),
      ],
      ["to the parent's role goes to the parent", child, [], send("lead"), sent("lead", lead.thread, false)],
      ["to the word parent does, too", child, [], send("parent"), sent("lead", lead.thread, false)],
      [
        "prefers the roster where the parent has the same role",
        { ...child, roster: ["lead"] },
        [],
        send("lead"),
        sent("lead", "dispatch:5.2.1"),
      ],
      [
        "but parent is the parent there, too",
        { ...child, roster: ["lead"] },
        [],
        send("parent"),
        sent("lead", lead.thread, false),
      ],
      ["a lead has no parent", lead, [], send("parent"), /have no parent.*cfa outcome NAME.*APPROVED_WORK/],
      [
        "an unknown role",
        lead,
        [],
        send("painter"),
        /no "painter" that you may send to: you may send to writer, tester$/,
      ],
      [
        "an unknown role, with a parent",
        child,
        [],
        send("writer"),
        /you may send to tester, parent \(lead\)$/,
      ],
      ["nobody to send to", { ...lead, roster: [] }, [], send("writer"), /you have no team/],
      [
        "a thread in place of a role",
        one,
        [],
        send("dispatch:4.1.2"),
        /no "dispatch:4.1.2" that you may send to/,
      ],
      [
        "the parent may be told at the cap",
        { ...child, cap: 0 },
        [],
        send("lead"),
        sent("lead", lead.thread, false),
      ],
    ],
  ],
  [
    "sending on a thread",
    [
      [
        "an open child",
        one,
        [],
        send("writer", { thread: "dispatch:4.1.2" }),
        sent("writer", "dispatch:4.1.2", false),
      ],
      [
        "one that this turn opened",
        lead,
        [sent("writer", "dispatch:4.2.1")],
        send("writer", { thread: "dispatch:4.2.1" }),
        sent("writer", "dispatch:4.2.1", false),
      ],
      [
        "the parent, by role",
        child,
        [],
        send("lead", { thread: lead.thread }),
        sent("lead", lead.thread, false),
      ],
      [
        "the parent, by word",
        child,
        [],
        send("parent", { thread: lead.thread }),
        sent("lead", lead.thread, false),
      ],
      [
        "another agent's",
        one,
        [],
        send("tester", { thread: "dispatch:4.1.2" }),
        /is with writer, not with tester: use --to writer/,
      ],
      [
        "a closed one",
        lead,
        [],
        send("writer", { thread: "dispatch:4.1.1" }),
        /is closed: leave --thread out to open a new one/,
      ],
      [
        "one that this turn closed",
        one,
        [close("dispatch:4.1.2") as OutboxEntry],
        send("writer", { thread: "dispatch:4.1.2" }),
        /is closed: leave --thread out/,
      ],
      ["the own", child, [], send("lead", { thread: child.thread }), /your own conversation/],
      [
        "a stranger's",
        one,
        [],
        send("writer", { thread: "dispatch:9.9.9" }),
        /do not see a conversation dispatch:9.9.9: you see dispatch:4.1.2 \(writer\)$/,
      ],
      [
        "a sibling's",
        child,
        [],
        send("writer", { thread: "dispatch:4.2.2" }),
        /you see state:j:EXECUTE:1 \(your parent\)$/,
      ],
      ["any, with none open", lead, [], send("writer", { thread: "x" }), /you have no open conversation/],
      [
        "going on at the cap is free",
        full,
        [],
        send("writer", { thread: "dispatch:4.1.2" }),
        sent("writer", "dispatch:4.1.2", false),
      ],
    ],
  ],
  [
    "the cap",
    [
      [
        "is reached by open children",
        full,
        [],
        send("writer"),
        /2 open conversations and the limit is 2.*cfa close ID.*dispatch:4.1.2 \(writer\), dispatch:4.1.3 \(tester\)/,
      ],
      [
        "counts what this turn opened",
        one,
        [sent("tester", "dispatch:4.2.1")],
        send("writer"),
        /the limit is 2/,
      ],
      [
        "does not count questions",
        one,
        [{ verb: "ask", question: "q4.2.1", text: "?" }],
        send("writer"),
        sent("writer", "dispatch:4.2.2"),
      ],
      [
        "does not count going on",
        one,
        [sent("writer", "dispatch:4.1.2", false)],
        send("writer"),
        sent("writer", "dispatch:4.2.2"),
      ],
      [
        "is freed by a close in the same turn",
        full,
        [{ verb: "close", thread: "dispatch:4.1.2" }],
        send("writer"),
        sent("writer", "dispatch:4.2.2"),
      ],
      [
        "is freed once by two closes of one child",
        full,
        [
          { verb: "close", thread: "dispatch:4.1.2" },
          { verb: "close", thread: "dispatch:4.1.2" },
          sent("writer", "dispatch:4.2.3"),
        ],
        send("writer"),
        /the limit is 2/,
      ],
      [
        "is not freed by closing what had ended",
        full,
        [{ verb: "close", thread: "dispatch:4.1.1" }],
        send("writer"),
        /the limit is 2/,
      ],
      [
        "waits where the job says so",
        { ...full, overCap: "wait" },
        [],
        send("writer"),
        sent("writer", "dispatch:4.2.1"),
      ],
      ["of zero allows no child", { ...lead, cap: 0 }, [], send("writer"), /fan_out is 0/],
    ],
  ],
  [
    "messages and files",
    [
      ["an empty message", lead, [], send("writer", { message: " \n" }), /message is empty/],
      [
        "the longest message",
        lead,
        [],
        send("writer", { message: "x".repeat(MESSAGE_BYTES_MAX) }),
        { verb: "send" },
      ],
      [
        "one byte more",
        lead,
        [],
        send("writer", { message: "x".repeat(MESSAGE_BYTES_MAX + 1) }),
        /write it to a file/,
      ],
      [
        "a length counts in bytes",
        lead,
        [],
        send("writer", { message: "é".repeat(MESSAGE_BYTES_MAX / 2 + 1) }),
        /longer than/,
      ],
      ["files of the workspace", lead, [], send("writer", { files: ["a/b.txt", "..c"] }), { files: [] }],
      [
        "an absolute file",
        lead,
        [],
        send("writer", { files: ["/etc/passwd"] }),
        /"\/etc\/passwd" is no file of your workspace/,
      ],
      ["a file above", lead, [], send("writer", { files: ["a/../../b"] }), /no file of your workspace/],
      ["the workspace itself", lead, [], send("writer", { files: ["a/.."] }), /no file of your workspace/],
      ["an empty name", lead, [], send("writer", { files: [""] }), /no file of your workspace/],
      ["an optional child", lead, [], send("writer", { optional: true }), { optional: true, opens: true }],
      [
        "optional on an open conversation",
        one,
        [],
        send("writer", { optional: true, thread: "dispatch:4.1.2" }),
        /--optional says how a new/,
      ],
      ["optional to the parent", child, [], send("parent", { optional: true }), /leave it out/],
    ],
  ],
  [
    "asking and saying nothing",
    [
      [
        "a question",
        lead,
        [],
        { verb: "ask", text: "which?" },
        { verb: "ask", question: "q4.2.1", text: "which?" },
      ],
      [
        "a second question",
        lead,
        [{ verb: "ask", question: "q4.2.1", text: "?" }],
        { verb: "ask", text: "?" },
        { question: "q4.2.2" },
      ],
      ["an empty question", lead, [], { verb: "ask", text: "" }, /question is empty/],
      ["none", lead, [], { verb: "none" }, { verb: "none" }],
      [
        "none beside a message to a child",
        child,
        [sent("tester", "dispatch:5.2.1")],
        { verb: "none" },
        { verb: "none" },
      ],
    ],
  ],
  [
    "closing",
    [
      ["an open child", one, [], close("dispatch:4.1.2"), { verb: "close", thread: "dispatch:4.1.2" }],
      [
        "one that this turn opened",
        lead,
        [sent("writer", "dispatch:4.2.1")],
        close("dispatch:4.2.1"),
        { verb: "close" },
      ],
      [
        "one that has ended: an acknowledgement",
        lead,
        [],
        close("dispatch:4.1.1"),
        { verb: "close", thread: "dispatch:4.1.1" },
      ],
      [
        "twice",
        one,
        [{ verb: "close", thread: "dispatch:4.1.2" }],
        close("dispatch:4.1.2"),
        { verb: "close" },
      ],
      [
        "the own conversation",
        child,
        [],
        close(child.thread),
        /your own conversation, and only who opened one may close it/,
      ],
      ["the parent's", child, [], close(lead.thread), /your parent's conversation/],
      [
        "a sibling",
        child,
        [],
        close("dispatch:4.2.2"),
        /no conversation that you opened: you see state:j:EXECUTE:1/,
      ],
      [
        "a grandchild",
        one,
        [],
        close("dispatch:5.1.1"),
        /no conversation that you opened: you see dispatch:4.1.2/,
      ],
    ],
  ],
])("%s", (_, rows) => {
  test.each(rows)("%s", (_, facts, buffered, call, result) => {
    const admission = admit(facts, buffered, call);
    if (result instanceof RegExp) expect(admission).toEqual({ refused: expect.stringMatching(result) });
    else expect(admission).toEqual({ entry: expect.objectContaining(result) });
  });
});

test("a number that was given counts for the ids, not how many calls there are", () => {
  expect(admit(lead, [], send("writer"), 7)).toMatchObject({ entry: { thread: "dispatch:4.2.7" } });
  expect(admit(lead, [], { verb: "ask", text: "?" }, 7)).toMatchObject({ entry: { question: "q4.2.7" } });
});

describe("an outcome", () => {
  test.each([
    ["of the state", lead, "APPROVED_WORK", "done", { outcome: "APPROVED_WORK", reason: "done" }],
    [
      "of another state",
      lead,
      "APPROVED_PLAN",
      "done",
      /no outcome of EXECUTE: use one of APPROVED_WORK, REALIGN/,
    ],
    ["that only cfa gives", lead, "FAILURE", "broken", /no outcome of EXECUTE/],
    ["that is none", lead, "PENDING", "later", /no outcome of EXECUTE/],
    ["without a reason", lead, "REPLAN", " ", /needs a reason: add --reason TEXT/],
    ["of a child", child, "APPROVED_WORK", "done", /only the lead of a state.*cfa send --to parent/],
  ])("%s", (_, facts, outcome, reason, result) => {
    const admission = admitOutcome(facts, outcome, reason);
    if (result instanceof RegExp) expect(admission).toEqual({ refused: expect.stringMatching(result) });
    else expect(admission).toEqual({ record: result });
  });
});

describe("what a role lets its agent send", () => {
  const OPENS = send("tester");
  const GOES_ON = send("writer", { thread: "dispatch:4.1.2" });
  test.each<readonly [what: string, facts: TurnFacts, call: Call, result: RegExp | null]>([
    ["a task", { ...lead, sends: ["task"] }, OPENS, null],
    [
      "no task: a new conversation",
      { ...lead, sends: ["reply"] },
      OPENS,
      /sends no task: do the work yourself/,
    ],
    ["no task: an open one", { ...one, sends: [] }, GOES_ON, /the role of lead sends no task/],
    ["a reply", { ...child, sends: ["reply"] }, send("parent"), null],
    [
      "no reply, by the word",
      { ...child, sends: ["task"] },
      send("parent"),
      /sends no reply: end your turn with your result/,
    ],
    ["no reply, by the name", { ...child, sends: ["task"] }, send("lead"), /sends no reply/],
    [
      "no reply, on the thread",
      { ...child, sends: [] },
      send("lead", { thread: lead.thread }),
      /sends no reply/,
    ],
    ["a question", { ...lead, sends: ["question"] }, { verb: "ask", text: "why?" }, null],
    [
      "no question of a lead",
      { ...lead, sends: [] },
      { verb: "ask", text: "why?" },
      /sends no question: decide yourself/,
    ],
    [
      "no question of a child",
      { ...child, sends: [] },
      { verb: "ask", text: "why?" },
      /end your turn and say what is open/,
    ],
    ["nothing, on purpose", { ...child, sends: [] }, { verb: "none" }, null],
    ["a close, which is no message", { ...one, sends: [] }, close("dispatch:4.1.2"), null],
  ])("%s", (_what, facts, call, result) => {
    const admission = admit(facts, [], call);
    if (result === null) expect(admission).toHaveProperty("entry");
    else expect(admission).toEqual({ refused: expect.stringMatching(result) });
  });
});
