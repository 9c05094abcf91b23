/**
 * The life cycle of a file-based agent (docs/files.md, "The life cycle"): pending → running → completed | failed. Pure.
 *
 * Y1. Whoever looks now and then may miss `running`. An agent that says since when it works, or why it failed, was running before; one that
 *     says `completed` and names no start never was. So the verdict depends on what was written, not on when it was read.
 * Y2. Staying where it is is no step; `completed` and `failed` are final; nothing goes back.
 */
import { setup, transition } from "xstate";
import { WORK_STATES, type WorkState } from "../../runtime/agents/port.ts";

/** Where the agent says that it is. */
export type Reported = { readonly state: WorkState; /** It says since when. */ readonly started: boolean };

/** Where the life cycle is after a report; or why the report cannot be, as the end of a sentence about status.json. */
export type Advance = { readonly state: WorkState } | { readonly refused: string };

type Event = { readonly type: Exclude<WorkState, "pending">; readonly started: boolean };

/** For the type checker alone: xstate infers what the machine hears from the absent field. */
const types: { events?: Event } = {};

/** The machine of the protocol, "State Transitions". */
export const lifeCycleMachine = setup({ types }).createMachine({
  id: "life-cycle",
  initial: "pending",
  states: {
    pending: { on: { running: "running" } },
    running: {
      on: {
        completed: { target: "completed", guard: ({ event }: { event: Event }) => event.started },
        failed: "failed",
      },
    },
    completed: { type: "final" },
    failed: { type: "final" },
  },
});

/** Takes up a report. Pure: the same state and report give the same result. */
export function advance(from: WorkState, reported: Reported): Advance {
  if (reported.state === from) return { state: from };
  let snapshot = lifeCycleMachine.resolveState({ value: from });
  for (const event of eventsOf(from, reported)) {
    if (!snapshot.can(event)) return { refused: whyRefused(from, reported.state) };
    [snapshot] = transition(lifeCycleMachine, snapshot, event);
  }
  return snapshot.value === reported.state
    ? { state: reported.state }
    : { refused: whyRefused(from, reported.state) };
}

/** The steps that lead to a report, those that were missed included (Y1). */
function eventsOf(from: WorkState, { state, started }: Reported): readonly Event[] {
  if (state === "pending") return [];
  const step: Event = { type: state, started };
  const hasRun = state === "failed" || (state === "completed" && started);
  return from === "pending" && hasRun ? [{ type: "running", started }, step] : [step];
}

function whyRefused(from: WorkState, to: WorkState): string {
  if (from === "completed" || from === "failed") return `went from ${from} to ${to}: ${from} is final`;
  if (to !== "completed") return `went back from ${from} to ${to}`;
  return `says completed without having been running: "started" must say since when`;
}

/** Whether the word is a state of the life cycle. */
export function isWorkState(word: string): word is WorkState {
  return WORK_STATES.some((state) => state === word);
}
