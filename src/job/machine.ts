/**
 * The six-state machine of a job (CfA §3): which action leads where, from where, and who may emit it.
 *
 * J1. The action alone names the target; the map is total and single-valued.
 * J2. A transition is a backtrack when its target precedes its source in INTENT < PLAN < EXECUTE; only these are counted.
 * J3. A step makes a new record whose history is longer by exactly one; the record before stays as it is.
 * J4. Terminal states absorb: every action on them is refused.
 * J5. FAILURE comes from the orchestrator alone; PENDING marks a turn without a record and leads nowhere.
 */
import { assign, setup, transition } from "xstate";
import { invariant } from "../soup/invariant.ts";

/** States in which work is done, in their order. */
export const LIVE_STATES = ["INTENT", "PLAN", "EXECUTE"] as const;
/** States that end a job: completed, abandoned by the human, failed beyond recovery. */
export const TERMINAL_STATES = ["DONE", "WITHDRAWN", "FAILURE"] as const;
/** A state in which work is done. */
export type LiveState = (typeof LIVE_STATES)[number];
/** A state that ends a job. */
export type TerminalState = (typeof TERMINAL_STATES)[number];
/** Any state of a job. */
export type JobState = LiveState | TerminalState;

/** Target of each action (J1). */
export const ACTION_TO_STATE = {
  APPROVED_INTENT: "PLAN",
  APPROVED_PLAN: "EXECUTE",
  APPROVED_WORK: "DONE",
  REALIGN: "INTENT",
  REPLAN: "PLAN",
  WITHDRAW: "WITHDRAWN",
  FAILURE: "FAILURE",
} as const satisfies Record<string, JobState>;

/** One of the seven actions. */
export type Action = keyof typeof ACTION_TO_STATE;

/** All actions, in the order of CfA §3. */
export const ACTIONS: readonly Action[] = [
  "APPROVED_INTENT",
  "APPROVED_PLAN",
  "APPROVED_WORK",
  "REALIGN",
  "REPLAN",
  "WITHDRAW",
  "FAILURE",
];

/** The signal of a turn that wrote no outcome record: the state carries over (CfA §3). No action. */
export const PENDING = "PENDING";

/** States from which each action may be emitted: the edges of CfA §3, Diagram 1. */
export const ALLOWED_FROM: Readonly<Record<Action, readonly LiveState[]>> = {
  APPROVED_INTENT: ["INTENT"],
  APPROVED_PLAN: ["PLAN"],
  APPROVED_WORK: ["EXECUTE"],
  REALIGN: ["PLAN", "EXECUTE"],
  REPLAN: ["EXECUTE"],
  WITHDRAW: ["INTENT", "PLAN", "EXECUTE"],
  FAILURE: ["INTENT", "PLAN", "EXECUTE"],
};

/** Who decided a transition. */
export type Origin = "skill" | "orchestrator" | "human";

/**
 * Who may emit each action. The human's approvals are the artifacts that come with a job that starts later than
 * INTENT (docs/job.md, "Starting later"); the human's WITHDRAW is `cfa withdraw`.
 */
export const EMITTED_BY: Readonly<Record<Action, readonly Origin[]>> = {
  APPROVED_INTENT: ["skill", "human"],
  APPROVED_PLAN: ["skill", "human"],
  APPROVED_WORK: ["skill"],
  REALIGN: ["skill"],
  REPLAN: ["skill"],
  WITHDRAW: ["skill", "human"],
  FAILURE: ["orchestrator"],
};

/** One transition that has happened. */
export type Transition = {
  readonly from: LiveState;
  readonly action: Action;
  readonly to: JobState;
  readonly reason: string;
  readonly origin: Origin;
  /** Number of the log entry that holds it. */
  readonly seq?: number;
};

/** The state record of a job (CfA §11). */
export type JobRecord = {
  readonly state: JobState;
  readonly history: readonly Transition[];
  /** How many backtracks have fired. */
  readonly backtracks: number;
};

/** Why, and by whom, an action is taken; `seq` is the log entry that holds the transition. */
export type Cause = { readonly reason: string; readonly origin: Origin; readonly seq?: number };

/** The next record, or one sentence that says why the action is not possible. */
export type Step = { readonly record: JobRecord } | { readonly refused: string };

/** A job at its entry: INTENT, nothing has happened (CfA §3, Diagram 1). */
export const NEW_RECORD: JobRecord = { state: "INTENT", history: [], backtracks: 0 };

/** Whether work is done in the state. */
export function isLive(state: JobState): state is LiveState {
  return LIVE_STATES.some((live) => live === state);
}

/** Whether the word is one of the seven actions, in exactly this spelling. */
export function isAction(word: string): word is Action {
  return Object.hasOwn(ACTION_TO_STATE, word);
}

/** Whether going from one state to the other is a backtrack (J2). */
export function isBacktrack(from: JobState, to: JobState): boolean {
  return isLive(from) && isLive(to) && LIVE_STATES.indexOf(to) < LIVE_STATES.indexOf(from);
}

/** Outcomes that the skill of a state may write: the actions that leave the state, but FAILURE (CfA §4). */
export function skillOutcomes(state: LiveState): readonly Action[] {
  return ACTIONS.filter(
    (action) => ALLOWED_FROM[action].includes(state) && EMITTED_BY[action].includes("skill"),
  );
}

/** Approvals that bring a new job to its first state; the operator's artifacts stand for them. */
export function approvalsBefore(start: LiveState): readonly Action[] {
  const approvals: readonly Action[] = ["APPROVED_INTENT", "APPROVED_PLAN"];
  return approvals.slice(0, LIVE_STATES.indexOf(start));
}

type Event = { readonly type: Action } & Cause;
type Context = Pick<JobRecord, "history" | "backtracks">;

/** For the type checker alone: xstate infers what the machine carries and hears from these absent fields. */
const types: { context?: Context; events?: Event } = {};

/** The edges that leave a state, each recording what happened. */
function edges(from: LiveState) {
  const leaving = ACTIONS.filter((action) => ALLOWED_FROM[action].includes(from));
  return Object.fromEntries(leaving.map((action) => [action, edge(from, action)]));
}

function edge(from: LiveState, action: Action) {
  const to: JobState = ACTION_TO_STATE[action];
  const record = assign(({ context, event }: { context: Context; event: Event }) => {
    const { type: _type, ...cause } = event;
    const backtracks = context.backtracks + (isBacktrack(from, to) ? 1 : 0);
    return { history: [...context.history, { from, action, to, ...cause }], backtracks };
  });
  return {
    target: to,
    guard: ({ event }: { event: Event }) => EMITTED_BY[action].includes(event.origin),
    actions: record,
  };
}

/** The machine of CfA §3, Diagram 1, made from the tables above. */
export const jobMachine = setup({ types }).createMachine({
  id: "job",
  context: { history: [], backtracks: 0 },
  initial: "INTENT",
  states: {
    INTENT: { on: edges("INTENT") },
    PLAN: { on: edges("PLAN") },
    EXECUTE: { on: edges("EXECUTE") },
    DONE: { type: "final" },
    WITHDRAWN: { type: "final" },
    FAILURE: { type: "final" },
  },
});

/** Takes one action. Pure: the same record, action and cause give the same result. */
export function step(record: JobRecord, action: Action, cause: Cause): Step {
  const { state, history, backtracks } = record;
  const snapshot = jobMachine.resolveState({ value: state, context: { history, backtracks } });
  const event: Event = { type: action, ...cause };
  if (!snapshot.can(event)) return { refused: whyRefused(state, action, cause.origin) };
  const [next] = transition(jobMachine, snapshot, event);
  invariant(next.value === ACTION_TO_STATE[action], `${action} led to ${next.value}`);
  return { record: { state: next.value, ...next.context } };
}

function whyRefused(state: JobState, action: Action, origin: Origin): string {
  if (!isLive(state)) return `the job is ${state}, which no action leaves`;
  if (!ALLOWED_FROM[action].includes(state)) {
    return `${action} is not possible in ${state}, only in ${ALLOWED_FROM[action].join(", ")}`;
  }
  return `${action} cannot come from the ${origin}, only from the ${EMITTED_BY[action].join(" or the ")}`;
}
