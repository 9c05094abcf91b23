/**
 * The workloads of `npm run bench`: a soup of size N, and what its agents do.
 *
 * B1. A workload is data for any interpreter of the rules: molecules in notation's own shape, the threads whose
 *     workspaces are ready, the facts that guards read, the threads to look at first, and the agents' choices.
 * B2. `behave(thread, turn)` is the whole agent: the payloads of a send-step, or undefined for a nosend-step.
 * B3. Every workload makes a number of reductions that is linear in N.
 */
import { plainMessage } from "../dist/soup/parse.js";
import { Queue } from "../dist/soup/queue.js";

const GO = plainMessage("go");

/** An instance that waits, with its mail. */
function waiting(agent, thread, mail = []) {
  return [
    { kind: "Idle", agent, thread },
    { kind: "Mailbox", agent, thread, messages: Queue.from(mail) },
  ];
}

const parent = (child, thread) => ({ kind: "Parent", child, thread });
const deliver = (agent, thread) => ({ kind: "deliver", agent, thread, message: GO });
const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));

/** t0 sparks t1, which sparks t2, and so on to tN. */
function chain(count) {
  const threads = times(count + 1, (at) => `t${at}`);
  const next = new Map(threads.slice(1).map((thread, at) => [threads[at], [deliver("A", thread)]]));
  return {
    facts: { rosters: { A: ["A"] }, cap: 3 },
    ready: threads.slice(1),
    molecules: waiting("A", "t0", [GO]),
    agenda: ["t0"],
    behave: (thread) => next.get(thread),
  };
}

/** One broadcast sparks N children; each replies, and each reply wakes the root. */
function fanOut(count) {
  const children = times(count, (at) => deliver("C", `c${at}`));
  const reply = [deliver("R", "root")];
  return {
    facts: { rosters: { R: ["C"] }, cap: count },
    ready: children.map(({ thread }) => thread),
    molecules: waiting("R", "root", [GO]),
    agenda: ["root"],
    behave: (thread, turn) => (thread !== "root" ? reply : turn === 1 ? children : undefined),
  };
}

/** Two threads send one message to and fro, N times, among `idle` others. */
function pingPong(count, idle) {
  const back = { a: [deliver("B", "b")], b: [deliver("A", "a")] };
  return {
    facts: { rosters: {}, cap: 3 },
    ready: [],
    molecules: [
      ...waiting("A", "a", [GO]),
      ...times(idle, (at) => waiting("I", `i${at}`)).flat(),
      ...waiting("B", "b"),
      parent("b", "a"),
    ],
    agenda: ["a"],
    // a takes turn k on message 2k - 1, b on message 2k.
    behave: (thread, turn) => (2 * turn - (thread === "a" ? 1 : 0) > count ? undefined : back[thread]),
  };
}

/** A tree of N threads, three children each, is withdrawn at its root. */
function withdrawal(count) {
  const threads = times(count, (at) => `t${at}`);
  return {
    facts: { rosters: {}, cap: 3 },
    ready: [],
    molecules: [
      ...threads.flatMap((thread) => waiting("A", thread, [GO])),
      ...threads.slice(1).map((thread, at) => parent(thread, `t${Math.floor(at / 3)}`)),
      { kind: "Terminate", thread: "t0", mode: "drop" },
    ],
    agenda: ["t0"],
    behave: () => undefined,
  };
}

/** N messages wait in one mailbox; each is processed and passed up to another mailbox, which grows to N. */
function mailbox(count) {
  const up = [deliver("L", "log")];
  return {
    facts: { rosters: {}, cap: 3 },
    ready: [],
    molecules: [
      { kind: "Mailbox", agent: "L", thread: "log", messages: Queue.of() },
      ...waiting(
        "A",
        "a",
        times(count, () => GO),
      ),
      parent("a", "log"),
    ],
    agenda: ["a"],
    behave: () => up,
  };
}

/** Messages that the active pair among N idle threads exchanges, whatever N is. */
const ACTIVE = 100_000;

/** All workloads; a `fixed` one makes the same number of reductions whatever N is, by default. */
export const WORKLOADS = [
  { name: "chain of N sparks", make: chain },
  { name: "fan-out of N with replies", make: fanOut },
  { name: "ping-pong of N messages", make: (count) => pingPong(count, 0) },
  { name: "withdrawal of a tree of N threads", make: withdrawal },
  { name: "one active among N idle", make: (count, active = ACTIVE) => pingPong(active, count), fixed: true },
  { name: "one mailbox of N messages", make: mailbox },
];
