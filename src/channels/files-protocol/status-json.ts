/**
 * status.json of a file-based agent: what it says of itself (docs/files.md, "status.json").
 *
 * J1. No link is followed, nothing is waited for, only a regular file of at most {@link STATUS_BYTES} is read.
 * J2. `state` must be one of four words. Whatever else cannot be understood is left out, and nothing fails for it.
 * J3. Texts and numbers of the agent are bounded here, so that nobody else has to.
 */
import { join } from "node:path";
import { z } from "zod";
import { WORK_STATES, type WorkState } from "../../runtime/agents/port.ts";
import { readRegular, replaceFile } from "../../runtime/outbox-file.ts";
import { parseJson } from "../../runtime/outbox-facts.ts";
import { STATUS_FILE } from "./layout.ts";

/** Longest status.json that is read, bytes. */
export const STATUS_BYTES = 64 * 1024;

/** Why an agent failed, in its own words. */
export type WorkError = {
  readonly type: string;
  readonly message: string;
  readonly details: string;
  /** Trying again may help. */
  readonly recoverable: boolean;
};

/** How far it says that it has come; null for what it does not say. */
export type Progress = {
  readonly step: string | null;
  readonly done: number | null;
  readonly total: number | null;
};

/** What status.json says. */
export type StatusReport = {
  readonly state: WorkState;
  readonly started: string | null;
  readonly error: WorkError | null;
  readonly progress: Progress | null;
  readonly metrics: Readonly<Record<string, number>>;
};

/** A reading of status.json: a report, or why there is none, as the end of a sentence. `torn`: it may be half-written, another look may help. */
export type StatusReading =
  { readonly report: StatusReport } | { readonly problem: string; readonly torn: boolean };

const METRICS_MAX = 20;
const WORD_CHARS = 100;
const MESSAGE_CHARS = 2000;

const bounded = (chars: number) => z.string().transform((text) => text.slice(0, chars));
const count = z.int().nonnegative().nullable().catch(null).default(null);
const word = bounded(WORD_CHARS).nullable().catch(null).default(null);

const errorSchema = z.object({
  type: bounded(WORD_CHARS).catch("Error").default("Error"),
  message: bounded(MESSAGE_CHARS).catch("").default(""),
  details: bounded(MESSAGE_CHARS).catch("").default(""),
  recoverable: z.boolean().catch(false).default(false),
});
const progressSchema = z
  .object({ current_step: word, steps_completed: count, total_steps: count })
  .transform(({ current_step, steps_completed, total_steps }) => ({
    step: current_step,
    done: steps_completed,
    total: total_steps,
  }));
const metricsSchema = z.record(z.string(), z.unknown()).transform((metrics) => {
  const numbers = Object.entries(metrics).flatMap(([name, value]): [string, number][] =>
    typeof value === "number" ? [[name.slice(0, WORD_CHARS), value]] : [],
  );
  return Object.fromEntries(numbers.slice(0, METRICS_MAX));
});

const statusSchema = z.object({
  state: z.enum(WORK_STATES),
  started: bounded(WORD_CHARS)
    .nullable()
    .transform((text) => (text === "" ? null : text))
    .catch(null)
    .default(null),
  error: errorSchema.nullable().catch(null).default(null),
  progress: progressSchema.nullable().catch(null).default(null),
  metrics: metricsSchema.catch({}).default({}),
});
const stateView = z.object({ state: z.unknown() });

/** Reads status.json of the home (J1). Rejects only for what the machine lacks. */
export async function readStatusJson(home: string): Promise<StatusReading> {
  const file = await readRegular(join(home, STATUS_FILE), STATUS_BYTES);
  if (file === undefined) return { problem: "is gone", torn: true };
  return "problem" in file ? { ...file, torn: false } : parseStatus(file.text);
}

/** What the text of a status.json says (J2). */
export function parseStatus(text: string): StatusReading {
  const value = parseJson(text);
  if (value === undefined) return { problem: "holds no JSON", torn: true };
  const parsed = statusSchema.safeParse(value);
  if (parsed.success) return { report: parsed.data };
  const view = stateView.safeParse(value);
  const state = view.success ? view.data.state : undefined;
  const said = typeof state === "string" ? `the state ${JSON.stringify(state.slice(0, 60))}` : "no state";
  return { problem: `holds ${said}: "state" is one of ${WORK_STATES.join(", ")}`, torn: false };
}

/** Writes the status.json with which a turn begins, in place of whatever stands there. */
export async function writePending(home: string): Promise<void> {
  const pending = {
    state: "pending",
    started: null,
    completed: null,
    error: null,
    progress: null,
    metrics: {},
  };
  await replaceFile(join(home, STATUS_FILE), `${JSON.stringify(pending, null, 2)}\n`);
}

/** Progress and metrics in one line: `analyzing_data 3/5, files_processed 12`; the state alone where the agent says nothing else. */
export function progressLine({ state, progress, metrics }: StatusReport): string {
  const steps =
    progress?.done == null ? "" : `${progress.done}${progress.total === null ? "" : `/${progress.total}`}`;
  const at = [progress?.step ?? state, steps].filter((part) => part !== "").join(" ");
  return [at, ...Object.entries(metrics).map(([name, value]) => `${name} ${value}`)].join(", ");
}
