/**
 * Shell hooks of the operator around the turns of a dispatch (docs/status-file.md, "Hooks").
 *
 * H1. They run in the tree of the thread, outside every boundary, with cfa's environment and the variables that name the turn.
 * H2. Their output goes into the stream of the turn, like that of its agent.
 * H3. Like a turn, a hook dies with all its descent at its time-out and on an interrupt; with cfa where there are PID namespaces.
 */
import type { TurnEvent, TurnFacts } from "./agents/port.ts";
import { processIsolation } from "./process/isolation.ts";
import { runProgram } from "./process/run-program.ts";

/** The hooks of a job; null where there is none. */
export type Hooks = {
  readonly before_run: string | null;
  readonly after_run: string | null;
  /** Milliseconds. */
  readonly timeout: number;
};

/** Where and for which turn a hook runs. */
export type HookPlace = {
  readonly facts: TurnFacts;
  readonly cwd: string;
  readonly stream: string;
  readonly signal: AbortSignal;
  readonly report: (event: TurnEvent) => void;
};

/** Why a hook did not end well: a sentence, or that the turn was stopped meanwhile. */
export type Trouble = { readonly kind: "failed"; readonly why: string } | { readonly kind: "aborted" };

const GRACE_MILLIS = 3000;

/** Runs a hook; settles with nothing when it ended well or there is none. */
export async function runHook(
  hooks: Hooks,
  name: "before_run" | "after_run",
  { facts, cwd, stream, signal, report }: HookPlace,
): Promise<Trouble | undefined> {
  const script = hooks[name];
  if (script === null) return undefined;
  const { end, complaint } = await runProgram(
    {
      run: ["sh", "-c", script],
      cwd,
      env: { ...environment(), ...variables(facts), PWD: cwd },
      input: "",
      stream,
      timeout: hooks.timeout,
      stopSignals: ["SIGTERM"],
      grace: GRACE_MILLIS,
      signal,
      onStart: () => {},
      onLine: (text) => report({ kind: "line", text }),
    },
    await processIsolation(),
  );
  const failed = (why: string): Trouble => ({ kind: "failed", why: `the hook ${name} ${why}` });
  const said = complaint === "" ? "" : `: ${complaint.slice(0, 200)}`;
  switch (end.kind) {
    case "exit":
      return end.status === 0 ? undefined : failed(`ended with exit status ${end.status}${said}`);
    case "timeout":
      return failed(`ran longer than ${hooks.timeout / 1000} s and was stopped${said}`);
    case "aborted":
      return { kind: "aborted" };
    case "unstarted":
      return failed(`could not be started: ${end.why}`);
  }
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function variables({ job, thread, turn, agent, state }: TurnFacts): Record<string, string> {
  return { CFA_JOB: job, CFA_THREAD: thread, CFA_TURN: String(turn), CFA_AGENT: agent, CFA_STATE: state };
}
