/**
 * The job's own record, folded from the log: state, history, lead, hold, park, delivery.
 *
 * H1. `apply` is called with every entry in order; the same entries give the same record, so `status` and a resumed
 *     engine agree.
 * H2. The lead's thread is `state:<job>:<STATE>:<n>`, n counting the entries into the state.
 * H3. A hold lapses when the lead starts another turn: it approves again, having seen its mail.
 */
import { type Draft, produce } from "immer";
import type { Entry, EntryBody } from "../persistence/entry.ts";
import { invariant } from "../soup/invariant.ts";
import type { ThreadId } from "../soup/message.ts";
import type { JobDefinition } from "./definition.ts";
import { parseDefinition } from "./definition.ts";
import { type JobRecord, type JobState, isAction, isLive, NEW_RECORD, type Origin, step } from "./machine.ts";

/** A forward approval that waits until every child has ended. */
export type Hold = { readonly action: string; readonly reason: string; readonly record: string | null };

/** See the header. */
export type StateRecord = {
  /** Id of the job. */
  readonly id: string;
  /** Id under which its log was opened, by which its threads are named: another one than `id` in a fork. */
  readonly job: string;
  readonly definition: JobDefinition;
  readonly base: string | null;
  /** Branch that was checked out when the job began. */
  readonly branch: string | null;
  readonly machine: JobRecord;
  /** How often each state has been entered. */
  readonly entries: Readonly<Record<JobState, number>>;
  readonly openedAt: string;
  /** From when `state_timeout` counts: the entry into the state, or the last time it ran out; later by what was spent parked. */
  readonly timedFrom: string;
  /** State-level failures of the present entry. */
  readonly failures: number;
  /** Newest turn of the lead on which something has been decided. */
  readonly judged: number;
  readonly hold: Hold | null;
  readonly parked: string | null;
  readonly parkedAt: string | null;
  /** Time spent parked or without a process that ran the job, milliseconds. */
  readonly restedMillis: number;
  readonly delivered: EntryBody<"deliver"> | null;
  /** Budget after `cfa resume --budget`; null where there is no limit. */
  readonly budget: JobDefinition["budget"];
};

/** The problem that the violation of a state names when its `state_timeout` has run out. */
export const STATE_TIMED_OUT = "the state has lasted longer than its time-out allows";

/** The thread of the lead of the present state. */
export function leadOf(record: StateRecord): ThreadId {
  return leadThread(record.job, record.machine.state, record.entries[record.machine.state]);
}

/** The thread of the n-th entry into a state. */
export function leadThread(job: string, state: JobState, n: number): ThreadId {
  return `state:${job}:${state}:${n}`;
}

/** The record of a job that has just been opened. */
function opened(entry: Extract<Entry, { kind: "open" }>): StateRecord {
  const definition = parseDefinition(entry.body.definition);
  return {
    id: entry.job,
    job: entry.body.job,
    definition,
    base: entry.body.base,
    branch: entry.body.branch,
    machine: NEW_RECORD,
    entries: { INTENT: 1, PLAN: 0, EXECUTE: 0, DONE: 0, WITHDRAWN: 0, FAILURE: 0 },
    openedAt: entry.at,
    timedFrom: entry.at,
    failures: 0,
    judged: 0,
    hold: null,
    parked: null,
    parkedAt: null,
    restedMillis: 0,
    delivered: null,
    budget: definition.budget,
  };
}

/** The record after one entry; undefined before the first. */
export function foldRecord(record: StateRecord | undefined, entry: Entry): StateRecord | undefined {
  if (entry.kind === "open") return opened(entry);
  if (record === undefined) return undefined;
  if (entry.kind === "fire" && !startsTurnOf(leadOf(record), entry.body)) return record;
  if (!CHANGING.has(entry.kind)) return record;
  return produce(record, (draft) => change(draft, entry));
}

/** Kinds of entries that {@link change} looks at; the others come often, and are not worth a draft. */
const CHANGING: ReadonlySet<Entry["kind"]> = new Set([
  "fire",
  "transition",
  "violation",
  "hold",
  "park",
  "deliver",
  "configure",
  "fork",
  "resume",
]);

function startsTurnOf(thread: ThreadId, { rule, at }: EntryBody<"fire">): boolean {
  return at["t"] === thread && (rule === "wake" || rule === "wake-int" || rule === "interrupt");
}

function change(draft: Draft<StateRecord>, entry: Entry): void {
  switch (entry.kind) {
    case "fire":
      draft.hold = null;
      return;
    case "transition":
      changeState(draft, entry);
      return;
    case "violation":
      draft.failures = entry.body.failures;
      draft.judged = entry.body.turn;
      if (entry.body.problem === STATE_TIMED_OUT) draft.timedFrom = entry.at;
      return;
    case "hold":
      draft.hold =
        entry.body.action === null
          ? null
          : { action: entry.body.action, reason: entry.body.reason, record: entry.body.record };
      return;
    case "park":
      changePark(draft, entry);
      return;
    case "deliver":
      draft.delivered = entry.body;
      return;
    case "resume":
      // While it is parked, all of the time counts as that.
      if (draft.parkedAt === null) rest(draft, Date.parse(entry.at) - Date.parse(entry.body.since));
      return;
    case "fork":
      for (const time of TIMES) draft[time] = laterBy(draft[time], entry);
      if (draft.parkedAt !== null) draft.parkedAt = laterBy(draft.parkedAt, entry);
      return;
    case "configure": {
      const { usd, tokens, turns, wall } = entry.body.budget ?? {};
      const { budget } = draft;
      draft.budget = {
        usd: usd ?? budget.usd,
        tokens: tokens ?? budget.tokens,
        turns: turns ?? budget.turns,
        wall: wall ?? budget.wall,
      };
      return;
    }
    default:
      return;
  }
}

const TIMES = ["openedAt", "timedFrom"] as const;

/** What lies between the entry that a fork goes on from and the fork is no time of the job's (docs/fork.md). */
function laterBy(time: string, { at, body }: Extract<Entry, { kind: "fork" }>): string {
  return new Date(Date.parse(time) + Date.parse(at) - Date.parse(body.at)).toISOString();
}

function changeState(draft: Draft<StateRecord>, entry: Extract<Entry, { kind: "transition" }>): void {
  const { action, reason, origin } = entry.body;
  invariant(isAction(action), `the log names the action ${action}`);
  const next = step(draft.machine, action, { reason, origin: originOf(origin), seq: entry.seq });
  invariant(
    "record" in next,
    `the log holds a transition that is not possible: ${"refused" in next ? next.refused : ""}`,
  );
  draft.machine = { ...next.record, history: [...next.record.history] };
  draft.entries[next.record.state] += 1;
  draft.timedFrom = entry.at;
  draft.failures = 0;
  draft.judged = 0;
  draft.hold = null;
}

function originOf(origin: EntryBody<"transition">["origin"]): Origin {
  return origin === "engine" ? "orchestrator" : origin;
}

function changePark(draft: Draft<StateRecord>, entry: Extract<Entry, { kind: "park" }>): void {
  if (!entry.body.parked && draft.parkedAt !== null) {
    rest(draft, Date.parse(entry.at) - Date.parse(draft.parkedAt));
  }
  draft.parked = entry.body.parked ? entry.body.why : null;
  draft.parkedAt = entry.body.parked ? entry.at : null;
}

/** Time, in milliseconds, in which the job could not go on: neither `budget.wall` nor `state_timeout` counts it. */
function rest(draft: Draft<StateRecord>, millis: number): void {
  draft.restedMillis += millis;
  draft.timedFrom = new Date(Date.parse(draft.timedFrom) + millis).toISOString();
}

/** Whether the job has come to an end state. */
export function isOver(record: StateRecord): boolean {
  return !isLive(record.machine.state);
}
