/** What an agent reads: each template, word for word (docs/skills.md, "Prompts"). */
import { describe, expect, test } from "vitest";
import { conflictRemark, promptOf, recoveryMail } from "../../src/job/mail.ts";
import { instructionsOf, STATUS_PROTOCOL } from "../../src/job/prompts.ts";
import type { EntryBody } from "../../src/persistence/entry.ts";
import { fullPrompt } from "../../src/runtime/agents/port.ts";
import type { Message } from "../../src/soup/message.ts";

const from = { agent: "lead", thread: "state:j:EXECUTE:1" };
const message = (kind: Message["kind"], more: Partial<Message> = {}): Message => ({
  id: "m",
  from,
  kind,
  body: "the body",
  ...more,
});

test.each<[string, Message, string]>([
  ["a task", message("task"), "the body"],
  ["a reply (continuation)", message("reply"), "[reply from lead on state:j:EXECUTE:1]\nthe body"],
  [
    "an answer",
    message("answer", { from: null, re: "q1.1.1" }),
    "[answer to your question q1.1.1]\nthe body",
  ],
  ["what a person says, by an interrupt, too", message("human", { from: null }), "[human]\nthe body"],
  ["word from cfa", message("control"), "[control from lead on state:j:EXECUTE:1]\nthe body"],
  ["a refusal", message("refusal"), "[refused]\nthe body"],
])("%s", (_what, one, prompt) => {
  expect(promptOf(one)).toBe(prompt);
});

test("recovery quotes the message that was lost", () => {
  const turn = { thread: "t", turn: 3, failure: "it broke" } as EntryBody<"turn">;
  const { kind, body } = recoveryMail("j", turn, message("reply"), 1);
  expect([kind, body]).toEqual([
    "recovery",
    "Your last turn failed: it broke. Its calls were not carried out; its edits are kept. 1 more failed turn is allowed.\n" +
      "The message it was working on:\n\n[reply from lead on state:j:EXECUTE:1]\nthe body",
  ]);
});

test("a conflict of the tree is told below the message", () => {
  expect(conflictRemark("the merge of dispatch:1.1.2 is unresolved in a.txt")).toBe(
    "[in your tree, the merge of dispatch:1.1.2 is unresolved in a.txt: edit until no conflict markers are left (for a file without markers change it, or run `cfa resolve PATH`); cfa completes it when your turn ends; a rebase or a pick goes on with git]",
  );
});

describe("the instructions of a first turn", () => {
  const lead = {
    skill: undefined,
    lead: true,
    outcomes: ["APPROVED_PLAN", "WITHDRAW"],
    roster: ["writer"],
    tools: [],
  };

  test("of a lead: tools, then the status protocol", () => {
    expect(instructionsOf(lead)).toBe(
      [
        "You talk back to cfa with the tools of the MCP server cfa, or with the same verbs on the command line. Calls take effect when your turn has ended; replies and answers are your next message.",
        "- send (cfa send --to AGENT MESSAGE): opens a conversation with an agent of your team: writer",
        "- close_conversation (cfa close ID): ends one that you opened, and merges its work",
        "- ask_question (cfa ask QUESTION): asks the human",
        "- list_team, job_status: whom you may send to, where you stand",
        "- outcome (cfa outcome NAME --reason TEXT): ends the state, NAME one of APPROVED_PLAN, WITHDRAW",
        "",
        STATUS_PROTOCOL,
      ].join("\n"),
    );
  });

  test("of a child without a team: its parent, the tools of its role, no outcome", () => {
    const tools = [{ name: "find", description: "Finds a ticket." }];
    const text = instructionsOf({ ...lead, lead: false, outcomes: [], roster: [], tools });
    expect(text).toContain("- send to parent (cfa send --to parent MESSAGE)");
    expect(text).toContain("- find: Finds a ticket.");
    expect(text).not.toMatch(/outcome|close_conversation/);
  });

  test("the skill stands first, the status protocol is the last of the whole prompt", () => {
    const skill = { name: "planning", file: "/x/SKILL.md", text: "# Planning" };
    const text = instructionsOf({ ...lead, skill });
    expect(text.startsWith("# Planning\n\nYou talk back")).toBe(true);
    expect(fullPrompt({ prompt: "the task", instructions: text })).toBe(`the task\n\n${text}\n`);
    expect(text.endsWith(STATUS_PROTOCOL)).toBe(true);
  });

  test("the status protocol is this text", () => {
    expect(STATUS_PROTOCOL).toBe(
      `If you find that you cannot go on without help from a person, or if your work is done and a person should look at it
before anything else happens, say so by running:

    mkdir -p .sortie && echo "blocked" > .sortie/status

Write "blocked" when you cannot go on, "needs-human-review" when the work is done and awaits review. Do not write this
file while work goes on normally.`,
    );
  });
});

test("a continuation is the message alone", () => {
  expect(fullPrompt({ prompt: "[reply]\nx", instructions: "" })).toBe("[reply]\nx");
});
