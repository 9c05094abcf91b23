/**
 * Checkpoints: all folds of a job up to one entry, kept beside its log, so that opening need not read all of it
 * (docs/log.md, "Checkpoints").
 *
 * K1. A checkpoint is a cache. One that is missing, damaged, of another cfa or of another log is not used, and the whole log is
 *     read instead; nothing depends on it but time.
 * K2. It is used only when the log holds its entry with its hash: then the entries before are those that it was made of.
 * K3. It stands at the end of a commit. The same folds give the same bytes, so it can be compared with what the log gives (`cfa verify`).
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { stateRecordSchema } from "../job/state-record-form.ts";
import { canonicalJson } from "../persistence/canonical-json.ts";
import { configurationOf, configurationSchema, formOf } from "../persistence/configuration-form.ts";
import type { Bus, Checkpoint, JobLog } from "../persistence/ports.ts";
import { ledgerSchema } from "../runtime/ledger-form.ts";
import { ENGINE } from "./opening.ts";
import { type Folds, JobReader, type ReadJob, type SavedFolds } from "./read-job.ts";

/** Number of the form below; raised whenever a fold or its form changes. */
const FORM = 4;

const headerSchema = z.object({ form: z.int(), engine: z.string() });
const foldsSchema = z.object({
  seq: z.int().positive(),
  at: z.string(),
  hash: z.string(),
  record: stateRecordSchema,
  ledger: ledgerSchema,
  configuration: configurationSchema,
});

/** What a stored checkpoint is worth: its folds, or why it is not used and whether that is a fault. */
export type Reading =
  { readonly saved: SavedFolds } | { readonly ignored: string; readonly damaged: boolean };

/** The checkpoint of these folds. */
export function checkpointOf({ seq, at, hash, record, ledger, configuration }: Folds): Checkpoint {
  const folds = { seq, at, hash, record, ledger: ledger.form(), configuration: formOf(configuration) };
  const text = canonicalJson({ form: FORM, engine: ENGINE, ...folds });
  return { seq, state: `${digestOf(text)} ${text}` };
}

/** Reads a stored checkpoint; whether its entry is in the log is not looked at (K2). */
export function readCheckpoint({ seq, state }: Checkpoint): Reading {
  const text = state.slice(DIGEST_LENGTH + 1);
  if (state.slice(0, DIGEST_LENGTH + 1) !== `${digestOf(text)} `)
    return { ignored: "its bytes are not those that were written", damaged: true };
  const value: unknown = JSON.parse(text);
  const header = headerSchema.safeParse(value);
  if (header.data?.form !== FORM || header.data.engine !== ENGINE)
    return { ignored: "it was written by another version of cfa", damaged: false };
  const { data, error } = foldsSchema.safeParse(value);
  if (error !== undefined || data.seq !== seq)
    return { ignored: `no cfa writes it so (${error?.issues[0]?.path.join(".") ?? "seq"})`, damaged: true };
  return { saved: { ...data, configuration: configurationOf(data.configuration) } };
}

/** The folds of a log, and the entry at which its checkpoint stands; 0 without one that could be used. */
export type OpenedFolds = { readonly reader: JobReader; readonly saved: number };

/** The job that a bus holds; undefined when its log is empty. */
export async function openJobRecord(bus: Bus): Promise<ReadJob | undefined> {
  return (await openFolds(bus.log)).reader.job();
}

/** The folds of a log up to its newest entry, from its checkpoint where it has one that fits, else from the first entry on. */
export async function openFolds(log: JobLog): Promise<OpenedFolds> {
  const saved = await fittingCheckpoint(log);
  const reader = new JobReader(saved);
  for await (const entry of log.read(reader.seq)) reader.apply(entry);
  return { reader, saved: saved?.seq ?? 0 };
}

async function fittingCheckpoint(log: JobLog): Promise<SavedFolds | undefined> {
  const stored = await log.checkpoint();
  const reading = stored === undefined ? undefined : readCheckpoint(stored);
  if (reading === undefined || "ignored" in reading) return undefined;
  const { seq, hash } = reading.saved;
  for await (const entry of log.read(seq - 1, seq)) return entry.hash === hash ? reading.saved : undefined;
  return undefined;
}

const DIGEST_LENGTH = 64;

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
