/**
 * The checker of the order of mail, on short logs: each is allowed by the rules, and silent; then one entry is told otherwise than it
 * happened, and the Run after it is about the wrong message.
 */
import { expect, test } from "vitest";
import { mailboxes } from "../../sim/checkers/mailboxes.ts";
import { Trees } from "../../sim/world/trees.ts";
import { Witness } from "../../sim/world/witness.ts";
import type { Draft } from "../../src/persistence/entry.ts";
import { foldEntry } from "../../src/persistence/fold.ts";
import type { Step } from "../../src/persistence/verify.ts";
import { complete } from "../../src/rules/table.ts";
import { Configuration } from "../../src/soup/configuration.ts";

const message = (id: string) => ({ id, from: null, kind: "human", body: id }) as const;
const on = { agent: "lead", thread: "t0" } as const;
const post = (id: string, head = false): Draft => ({
  kind: "post",
  body: { ...on, message: message(id), head, origin: "human" },
});
const interrupt = (id: string): Draft => ({
  kind: "interrupt",
  body: { thread: "t0", message: message(id), origin: "human" },
});
const fire = (rule: string, choice = {}): Draft => ({
  kind: "fire",
  body: { rule, at: { A: "lead", t: "t0" }, choice },
});
const structural = (rule: string): Draft => ({ kind: "fire", body: { rule, at: { A: "lead", t: "t0" } } });
const wake = structural("wake");
const rest = fire("nosend-step");
const rollback: Draft = { kind: "rollback", body: { thread: "t0", turn: 1, reason: "a test says so" } };
const ask = fire("ask-step", { e: "e1", x: message("x"), π: "never" });
const respond = (id: string): Draft => ({
  kind: "fire",
  body: { rule: "respond", at: { A: "lead", t: "t0", e: "e1" }, choice: { a: message(id) } },
});
const asked: Draft = { kind: "fire", body: { rule: "ask", at: { A: "lead", t: "t0", e: "e1" } } };
const nothing: Draft = { kind: "note", body: { level: "info", thread: null, text: "nothing" } };
const opened: Draft = {
  kind: "open",
  body: {
    versions: { format: 1, threads: 1, states: 1 },
    job: "j",
    engine: "e",
    root: on,
    rosters: {},
    cap: 1,
    base: null,
    branch: null,
    definition: null,
  },
};

/** The steps of a log under the real rules. */
function stepsOf(drafts: readonly Draft[]): Step[] {
  let before = Configuration.empty();
  return [opened, ...drafts].map((draft, at) => {
    const stamp = { job: "j", seq: at + 1, round: at + 1, at: "", prev: "", hash: "" };
    const entry = { ...draft, ...stamp };
    const after = foldEntry(complete, before, entry);
    const step = { entry, before, after };
    before = after;
    return step;
  });
}

function said(steps: readonly Step[]): string | undefined {
  const final = steps.at(-1)?.after ?? Configuration.empty();
  return mailboxes.check({
    job: "j",
    steps,
    final,
    sights: [],
    trees: new Trees(new Witness()),
    ended: false,
  });
}

/** A log, the number of the entry that is told otherwise, how, and the sentence. */
const LOGS: readonly (readonly [string, readonly Draft[], number, Draft, RegExp])[] = [
  ["mail, oldest first", [post("a"), post("b"), wake], 3, post("b", true), /entry 4: .* with a, .* is b/],
  ["mail at the head", [post("a"), post("b", true), wake], 3, post("b"), /entry 4: .* with b, .* is a/],
  [
    "the message of a lost turn, before what came meanwhile",
    [post("a"), wake, post("b"), rollback, wake],
    5,
    nothing,
    /entry 6: .* with a, .* is b/,
  ],
  [
    "the message of a lost turn that an interrupt had begun",
    [post("a"), wake, post("b"), interrupt("i"), structural("interrupt"), rollback, wake],
    7,
    nothing,
    /entry 8: .* with i, .* is b/,
  ],
  [
    "interrupts, oldest first",
    [interrupt("i"), interrupt("k"), structural("wake-int")],
    2,
    interrupt("l"),
    /entry 4: .* redirected with i, .* is l, before k/,
  ],
  [
    "an answer, behind the mail that waits",
    [post("a"), wake, ask, asked, post("b"), respond("c"), wake, rest, wake],
    6,
    nothing,
    /entry 8: .* with b, .* is c/,
  ],
];

test.each(LOGS)("%s: the order of docs/rules.md", (_what, drafts) => {
  expect(said(stepsOf(drafts))).toBe(undefined);
});

test.each(LOGS)("%s, told otherwise: found", (_what, drafts, at, draft, sentence) => {
  const told = stepsOf(drafts).map((step) =>
    step.entry.seq === at ? { ...step, entry: { ...step.entry, ...draft } } : step,
  );
  expect(said(told)).toMatch(sentence);
});
