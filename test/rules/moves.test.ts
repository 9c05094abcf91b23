/** Outside moves: each accepted and refused, with the sentence that its poster gets. */
import { describe, expect, test } from "vitest";
import { type Move, move } from "../../src/rules/moves.ts";
import { plainMessage } from "../../src/soup/parse.ts";
import { configurationFrom, stateOf } from "./trace.ts";

const message = plainMessage("x", "human");
const root = { agent: "O", thread: "job:1" };
const opening: Move = { kind: "open", root, rosters: { O: ["A"] }, cap: 2 };
const post: Move = { kind: "post", agent: "A", thread: "t0", message, head: false };
const interrupt: Move = { kind: "interrupt", thread: "t0", message };
const terminate: Move = { kind: "terminate", thread: "t0", mode: "drop" };
const rollback: Move = { kind: "rollback", thread: "t0" };

const accepted: readonly (readonly [what: string, one: Move, before: string, after: string])[] = [
  ["open an empty soup", opening, "ε", "Idle(O,job:1) ‖ Mailbox(O,job:1,[])"],
  ["post behind the mail that waits", post, "Mailbox(A,t0,[m])", "Mailbox(A,t0,[m,x])"],
  ["post at the head", { ...post, head: true }, "Mailbox(A,t0,[m])", "Mailbox(A,t0,[x,m])"],
  ["post to one that runs", post, "Run(A,t0,m) ‖ Mailbox(A,t0,[])", "Run(A,t0,m) ‖ Mailbox(A,t0,[x])"],
  ["interrupt one that runs", interrupt, "Run(A,t0,m)", "Run(A,t0,m) ‖ Interrupt(t0,x)"],
  ["interrupt one that is idle", interrupt, "Idle(A,t0)", "Idle(A,t0) ‖ Interrupt(t0,x)"],
  ["interrupt one that broadcasts", interrupt, "Send(A,t0,[])", "Send(A,t0,[]) ‖ Interrupt(t0,x)"],
  [
    "interrupt twice",
    interrupt,
    "Idle(A,t0) ‖ Interrupt(t0,w)",
    "Idle(A,t0) ‖ Interrupt(t0,w) ‖ Interrupt(t0,x)",
  ],
  ["terminate", terminate, "Idle(A,t0)", "Idle(A,t0) ‖ Terminate(t0,drop)"],
  ["terminate with a merge", { ...terminate, mode: "merge" }, "Idle(A,t0)", "Idle(A,t0) ‖ Terminate(t0)"],
  ["terminate one that is dying", terminate, "Terminate(t0)", "Terminate(t0) ‖ Terminate(t0,drop)"],
  [
    "roll a lost turn back: its message is the next again",
    rollback,
    "Run(A,t0,m) ‖ Mailbox(A,t0,[n])",
    "Idle(A,t0) ‖ Mailbox(A,t0,[m,n])",
  ],
];

const refused: readonly (readonly [what: string, one: Move, before: string, sentence: string])[] = [
  ["open twice", opening, "Idle(O,job:1) ‖ Mailbox(O,job:1,[])", "job:1 is already open"],
  ["open a closed job thread", opening, "ε ; closed job:1", "job:1 is already open"],
  ["post to a closed thread", post, "ε ; closed t0", "t0 has ended"],
  ["post to a dying thread", post, "Mailbox(A,t0,[]) ‖ Terminate(t0)", "t0 is being terminated"],
  ["post to nobody", post, "ε", "A has no mailbox on t0"],
  ["post to another agent's mailbox", post, "Mailbox(B,t0,[])", "A has no mailbox on t0"],
  ["interrupt a closed thread", interrupt, "ε ; closed t0", "t0 has ended"],
  ["interrupt a dying thread", interrupt, "Idle(A,t0) ‖ Terminate(t0)", "t0 is being terminated"],
  ["interrupt nobody", interrupt, "Mailbox(A,t0,[])", "nobody is on t0"],
  ["terminate a closed thread", terminate, "ε ; closed t0", "t0 has ended"],
  [
    "roll back on a dying thread",
    rollback,
    "Run(A,t0,m) ‖ Mailbox(A,t0,[]) ‖ Terminate(t0)",
    "t0 is being terminated",
  ],
  ["roll back what is idle", rollback, "Idle(A,t0) ‖ Mailbox(A,t0,[])", "nothing runs on t0"],
  ["roll back what broadcasts", rollback, "Send(A,t0,[]) ‖ Mailbox(A,t0,[])", "nothing runs on t0"],
  ["roll back nothing", rollback, "ε", "nothing runs on t0"],
];

test.each(accepted)("%s", (_what, one, before, after) => {
  const moved = move(configurationFrom(before), one);
  if ("refused" in moved) expect.unreachable(moved.refused);
  expect(stateOf(moved.configuration)).toEqual(stateOf(configurationFrom(after)));
});

test.each(refused)("refused: %s", (_what, one, before, sentence) => {
  const configuration = configurationFrom(before);
  const state = stateOf(configuration);
  expect(move(configuration, one)).toEqual({ refused: sentence });
  expect(stateOf(configuration)).toEqual(state);
});

describe("what guards read", () => {
  test("open records rosters and cap", () => {
    const moved = move(configurationFrom("ε"), opening);
    if ("refused" in moved) expect.unreachable(moved.refused);
    expect(moved.configuration.facts).toEqual({ rosters: { O: ["A"] }, cap: 2 });
  });

  test.each<readonly [what: string, one: Move, facts: unknown]>([
    ["the cap alone", { kind: "configure", cap: 5 }, { rosters: { A: ["B"] }, cap: 5 }],
    ["the rosters alone", { kind: "configure", rosters: {} }, { rosters: {}, cap: 3 }],
    ["nothing", { kind: "configure" }, { rosters: { A: ["B"] }, cap: 3 }],
  ])("configure changes %s", (_what, one, facts) => {
    const before = configurationFrom("Idle(A,t0)", "roster(A: B)");
    const moved = move(before, one);
    if ("refused" in moved) expect.unreachable(moved.refused);
    expect(moved.configuration.facts).toEqual(facts);
    expect(stateOf(moved.configuration)).toEqual(stateOf(before));
  });

  test.each<readonly [what: string, commit: string | null, because: string | null, fact: unknown]>([
    ["ready at a commit", "abc", null, { ready: true, commit: "abc" }],
    ["refused", null, "disk full", { ready: false, because: "disk full" }],
    ["refused without a reason", null, null, { ready: false, because: "no reason given" }],
  ])("a workspace is %s, which is no molecule", (_what, commit, because, fact) => {
    const before = configurationFrom("Idle(A,t0)");
    const moved = move(before, { kind: "workspace", thread: "t1", commit, refused: because });
    if ("refused" in moved) expect.unreachable(moved.refused);
    expect(moved.configuration.cell("t1")?.workspace).toEqual(fact);
    expect(stateOf(moved.configuration)).toEqual(stateOf(before));
  });
});
