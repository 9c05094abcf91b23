/**
 * Stopping a run from outside: signals, or the key that stands for one.
 *
 * S1. The first one stops the turns and leaves the job resumable; the second kills them.
 */
import type { JobRun } from "../engine/job-run.ts";
import { killStray } from "../runtime/process/tree.ts";
import type { Context, SignalName } from "./context.ts";
import type { Progress } from "./progress/progress.ts";
import type { JobViewer } from "./view/job-view.ts";

/** See the header. */
export type Stopping = {
  /** The run to stop; one that starts after the signal is stopped at once. */
  readonly of: (run: JobRun) => void;
  /** As if the signal had come. */
  readonly now: (name: SignalName) => void;
  readonly received: () => SignalName | undefined;
  readonly over: () => void;
};

/** Listens for signals until `over`. */
export function stopping(
  context: Pick<Context, "onSignal">,
  viewer: JobViewer,
  progress: Pick<Progress, "say">,
): Stopping {
  let received: SignalName | undefined;
  let run: JobRun | undefined;
  const take = (name: SignalName): void => {
    if (received === undefined) {
      progress.say("stopping the turns; once more kills them");
      received = name;
      run?.stop();
    } else {
      void killTurns(viewer);
    }
  };
  const offs = (["SIGINT", "SIGTERM"] as const).map((name) => context.onSignal(name, () => take(name)));
  return {
    of: (started) => {
      run = started;
      if (received !== undefined) run.stop();
    },
    now: take,
    received: () => received,
    over: () => {
      for (const off of offs) off();
    },
  };
}

/** Kills the programs of all turns, those of the proxy included, with their descent. */
async function killTurns(viewer: JobViewer): Promise<void> {
  if (viewer.empty) return;
  const { threads, escalations } = viewer.read.ledger;
  const running = [...threads.values(), ...escalations.records.values()].flatMap(
    ({ process }) => process ?? [],
  );
  await Promise.all(running.map(({ pid, started }) => killStray(pid, started)));
}
