/**
 * The checkers on a run that went well, with one thing changed in what they look at: each must say what is wrong. What the log says
 * wrongly is the verifier's (test/persistence); here the world and the log disagree, or the log says twice what happened once.
 */
import { beforeAll, expect, test } from "vitest";
import { seedOfRun } from "../../sim/choice.ts";
import { type Evidence, readLog } from "../../sim/evidence.ts";
import { CHECKERS } from "../../sim/judge.ts";
import { simulate } from "../../sim/run.ts";
import { Trees } from "../../sim/world/trees.ts";
import { type Event, type Sight, Witness } from "../../sim/world/witness.ts";

type Kind = Event["kind"];

let sound: Evidence;

/** A run in which everything occurs that the rows below need. */
beforeAll(async () => {
  for (let run = 1; ; run++) {
    const { world, rows } = await simulate(seedOfRun(9, run));
    const { steps, final } = readLog(rows);
    const { sights } = world.witness;
    const kinds = new Set([
      ...sights.map(({ event }) => event.kind as string),
      ...steps.map(({ entry }) => entry.kind),
    ]);
    const wanted = ["merged", "program-called", "posted", "act", "rollback", "deliver", "program-edited"];
    if (!wanted.every((kind) => kinds.has(kind))) continue;
    sound = { job: world.job, steps, final, sights, trees: world.trees, ended: true };
    return;
  }
});

const said = (evidence: Evidence): string[] =>
  CHECKERS.flatMap(({ name, check }) => {
    const sentence = check(evidence);
    return sentence === undefined ? [] : [`${name}: ${sentence}`];
  });

const changed = (kind: Kind, change: (sight: Sight) => readonly Sight[]): Evidence => {
  const at = sound.sights.findIndex(({ event }) => event.kind === kind && isKept(event));
  const sight = sound.sights[at];
  if (sight === undefined) throw new Error(`nobody saw ${kind}`);
  const sights = [...sound.sights.slice(0, at), ...change(sight), ...sound.sights.slice(at + 1)];
  return { ...sound, sights };
};

/** What a program did counts when its turn went well. */
const isKept = (event: Event): boolean => {
  if (!("pid" in event)) return true;
  const program = sound.sights.find(
    (one) => one.event.kind === "program-started" && one.event.pid === event.pid,
  );
  if (program?.event.kind !== "program-started") return false;
  const { thread, turn } = program.event;
  return sound.steps.some(
    ({ entry }) =>
      entry.kind === "turn" &&
      entry.body.thread === thread &&
      entry.body.turn === turn &&
      entry.body.result === "ok",
  );
};

const twice = (kind: string): Evidence => {
  const at = sound.steps.findIndex(({ entry }) => entry.kind === kind);
  const step = sound.steps[at];
  if (step === undefined) throw new Error(`the log has no ${kind}`);
  return { ...sound, steps: [...sound.steps.slice(0, at + 1), step, ...sound.steps.slice(at + 1)] };
};

const without = (kind: Kind): Evidence => changed(kind, () => []);

test("a run that went well: nobody says anything", () => {
  expect(said(sound)).toEqual([]);
});

test.each<readonly [string, () => Evidence, RegExp]>([
  ["an entry under an old epoch", () => changed("committed", withOldEpoch), /^ownership: .* under epoch 0/],
  [
    "a program that ran twice",
    () => changed("program-started", (one) => [one, one]),
    /^turns: .* second time/,
  ],
  ["a program before its entry", () => changed("program-started", tooEarly), /^turns: .* not asked for/],
  ["a program that never ended", () => without("program-ended"), /^turns: /],
  ["a turn without a program", () => without("program-started"), /^turns: .*no program ran/],
  ["words that nobody sent", () => changed("program-called", withOtherWords), /^turns: .*is not sent/],
  ["a merge before the end of its thread", () => changed("merged", tooEarly), /^merges: .*before the log/],
  ["a tree before it was asked for", () => changed("tree-made", laterThread), /^merges: .*before the log/],
  ["a wish that nobody posted", () => without("posted"), /^questions: .*nobody has posted/],
  ["a wish taken up twice", () => twice("act"), /^questions: .*second time/],
  ["a tree that leaves twice", () => twice("release"), /^merges: .*second time/],
  ["a job delivered twice", () => twice("deliver"), /^end: .*delivered 2 times/],
  ["a record that nobody wrote", () => without("program-recorded"), /^records: .* wrote none/],
  ["another record than was written", () => changed("program-recorded", withOtherRecord), /^records: /],
  ["failures after the last retry", failedAgain, /^retries: .*the state goes on after failure/],
  ["a message that comes twice", () => twice("post"), /^messages: .*second time/],
  ["the edits of a lost turn", edited, /^work: .*which a lost turn wrote/],
  ["a tree that is left", () => ({ ...sound, trees: leftTree() }), /^withdrawal: .*workspace of left/],
])("%s is found", (_what, evidence, sentence) => {
  expect(said(evidence()).find((one) => sentence.test(one))).toMatch(sentence);
});

function withOldEpoch(sight: Sight): Sight[] {
  const { event } = sight;
  return event.kind === "committed" ? [{ ...sight, event: { ...event, epoch: 0 } }] : [];
}

const tooEarly = (sight: Sight): Sight[] => [{ ...sight, head: 1 }];

function withOtherWords(sight: Sight): Sight[] {
  const { event } = sight;
  return event.kind === "program-called"
    ? [sight, { ...sight, event: { ...event, call: { verb: "ask", text: "said, and lost" } } }]
    : [];
}

function withOtherRecord(sight: Sight): Sight[] {
  const { event } = sight;
  return event.kind === "program-recorded" ? [{ ...sight, event: { ...event, record: "{}" } }] : [];
}

/** The first state has failed more often than any job allows. */
function failedAgain(): Evidence {
  const [opening, ...steps] = sound.steps;
  if (opening === undefined) throw new Error("the log is empty");
  const body = { state: "INTENT", thread: "state", turn: 1, problem: "no", record: null, failures: 1 };
  const violations = [1, 2, 3, 4, 5].map((n) => ({
    ...opening,
    entry: { ...opening.entry, seq: -n, round: -n, kind: "violation" as const, body },
  }));
  return { ...sound, steps: [opening, ...violations, ...steps] };
}

function laterThread(sight: Sight): Sight[] {
  return [sight, { head: 1, event: { kind: "tree-made", tree: "dispatch:9.9.9", parent: null } }];
}

/** The turn whose edits stand in a later commit is said to have been lost before it. */
function edited(): Evidence {
  const delivery = sound.steps.findLast(({ entry }) => entry.kind === "deliver")?.entry;
  if (delivery?.kind !== "deliver" || delivery.body.commit === null) throw new Error("nothing is delivered");
  const delivered = [...sound.trees.at(delivery.body.commit).content.values()];
  const kept = sound.sights.find(
    ({ event }) => event.kind === "program-edited" && delivered.includes(event.edit),
  )?.event;
  const pid = kept?.kind === "program-edited" ? kept.pid : 0;
  const program = sound.sights.find(
    ({ event }) => event.kind === "program-started" && event.pid === pid,
  )?.event;
  const [step] = sound.steps;
  if (program?.kind !== "program-started" || step === undefined) throw new Error("nothing was edited");
  const body = { thread: program.thread, turn: program.turn, reason: "a test says so" };
  const rollback = { ...step, entry: { ...step.entry, kind: "rollback" as const, body } };
  return { ...sound, steps: [rollback, ...sound.steps] };
}

function leftTree(): Trees {
  const trees = new Trees(new Witness());
  trees.begin("left", trees.base, null);
  return trees;
}
