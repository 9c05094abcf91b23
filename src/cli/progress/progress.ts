/**
 * Progress of a run on stderr: live on a terminal, plain lines elsewhere, or nothing.
 *
 * P1. It only shows; nothing that it does changes the run.
 */
import type { Entry } from "../../persistence/entry.ts";
import type { TurnEvent } from "../../runtime/agents/port.ts";
import { type Context, say } from "../context.ts";
import { eventLine } from "../view/event-line.ts";
import type { JobViewer } from "../view/job-view.ts";
import type { AnsweringMeans } from "./answering.ts";
import { liveProgress } from "./live.ts";

/** Shows a run while it goes on. */
export type Progress = {
  /** An entry that was just appended, and taken up by the viewer. */
  readonly entry: (entry: Entry) => void;
  readonly event: (thread: string, event: TurnEvent) => void;
  /** A sentence from the command itself. */
  readonly say: (line: string) => void;
  /** Leaves the last picture, and shows nothing more. */
  readonly end: () => void;
};

/** How much is wanted. */
export type ProgressOptions = {
  /** Show nothing but what the command itself has to say. */
  readonly quiet: boolean;
  /** The command that answers a question. */
  readonly answer: (question: string) => string;
  /** How questions are answered in the terminal; absent where nobody can type. */
  readonly answering?: AnsweringMeans | undefined;
};

/** Whether progress that is not quiet is the live view: stderr is a terminal that can draw. */
export function isLive({ stderr, env }: Context): boolean {
  return stderr.isTTY && env["TERM"] !== "dumb";
}

/** The progress that fits the output (P1). */
export function progressOn(
  context: Context,
  viewer: JobViewer,
  { quiet, answer, answering }: ProgressOptions,
): Progress {
  const { stderr } = context;
  if (quiet) return silent(context);
  if (isLive(context)) return liveProgress(context, viewer, { answer, answering });
  return {
    entry: (entry) => {
      const line = eventLine(entry, viewer.read, answer);
      if (line !== undefined) say(stderr, `${entry.at.slice(11, 19)}  ${line.text}`);
    },
    event: () => undefined,
    say: (line) => say(stderr, line),
    end: () => undefined,
  };
}

function silent({ stderr }: Context): Progress {
  return {
    entry: () => undefined,
    event: () => undefined,
    say: (line) => say(stderr, line),
    end: () => undefined,
  };
}
