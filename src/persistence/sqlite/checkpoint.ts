/** Keeps the one checkpoint of a job. */
import { z } from "zod";
import type { Checkpoint } from "../ports.ts";
import type { Connection } from "./open.ts";

const checkpointSchema = z.strictObject({ seq: z.int().nonnegative(), state: z.string() });

/** Prepares reading the checkpoint. */
export function prepareReadCheckpoint(db: Connection): () => Checkpoint | undefined {
  const read = db.prepare("SELECT seq, state FROM checkpoint");
  return () => checkpointSchema.optional().parse(read.get());
}

/** Prepares putting a checkpoint in place of the one before. */
export function prepareSaveCheckpoint(db: Connection): (checkpoint: Checkpoint) => void {
  const save = db.prepare("INSERT OR REPLACE INTO checkpoint (one, seq, state) VALUES (1, ?, ?)");
  return ({ seq, state }) => void save.run(seq, state);
}
