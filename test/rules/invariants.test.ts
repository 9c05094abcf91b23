/** Each invariant of CfA §12: a soup that breaks it, and near ones that do not. */
import { expect, test } from "vitest";
import { brokenInvariants } from "../../src/rules/invariants.ts";
import { configurationFrom } from "./trace.ts";

test.each<readonly [soup: string, broken: readonly (readonly [invariant: string, what: string])[]]>([
  ["ε", []],
  ["Idle(A,t) ‖ Mailbox(A,t,[]) ‖ Parent(c,t) ‖ Idle(B,c) ‖ Mailbox(B,c,[m])", []],
  ["Idle(A,t) ‖ Run(A,t,m)", [["two-lifecycle", "t: A is more than one of Idle, Run and Send"]]],
  ["Send(A,t,[]) ‖ Send(A,t,[])", [["two-lifecycle", "t: A is more than one of Idle, Run and Send"]]],
  ["Idle(A,t) ‖ Run(B,t,m) ‖ Run(A,s,m)", []],
  ["Mailbox(A,t,[]) ‖ Mailbox(A,t,[m])", [["two-mailbox", "t: A has more than one mailbox"]]],
  ["Mailbox(A,t,[]) ‖ Mailbox(B,t,[])", []],
  ["Parent(c,t) ‖ Parent(c,s)", [["two-parents", "c: it has 2 parents"]]],
  ["Parent(t,t)", [["parent-cycle", "t: it is its own ancestor"]]],
  [
    "Parent(a,b) ‖ Parent(b,c) ‖ Parent(c,a) ‖ Parent(leaf,a) ‖ Parent(leaf2,leaf)",
    ["b", "a", "c"].map((thread) => ["parent-cycle", `${thread}: it is its own ancestor`]),
  ],
  ["Parent(a,b) ‖ Parent(b,c) ‖ Parent(d,b)", []],
  ["Idle(A,t) ; closed t", [["closed-alive", "t: it is closed, yet molecules of it remain"]]],
  ["Terminate(t) ; closed t", [["closed-alive", "t: it is closed, yet molecules of it remain"]]],
  ["Interrupt(t,Y) ; closed t", [["closed-alive", "t: it is closed, yet molecules of it remain"]]],
  [
    "Parent(c,t) ; closed t, c",
    ["t", "c"].map((thread) => ["closed-alive", `${thread}: it is closed, yet molecules of it remain`]),
  ],
  ["ε ; closed t", []],
  [
    "Proxy(A,t,e1,x,never,fresh) ‖ AskHuman(B,s,e1,y,always)",
    [["question-twice", "s: question e1 is open twice"]],
  ],
  ["Proxy(A,t,e1,x,never,fresh) ‖ Proxy(A,t,e2,x,never,fresh)", []],
])("%s", (soup, broken) => {
  const found = brokenInvariants(configurationFrom(soup)).map(({ invariant, what }) => [invariant, what]);
  expect(found.sort()).toEqual(broken.map((one) => [...one]).sort());
});

test("in a deep tree the check reads each cell once", () => {
  const edges = Array.from({ length: 3_000 }, (_, at) => `Parent(t${at + 1},t${at})`);
  const configuration = configurationFrom(edges.join(" ‖ "));
  let reads = 0;
  const cell = configuration.cell.bind(configuration);
  configuration.cell = (thread) => {
    reads++;
    return cell(thread);
  };
  expect(brokenInvariants(configuration)).toEqual([]);
  expect(reads).toBeLessThanOrEqual(3_001);
});
