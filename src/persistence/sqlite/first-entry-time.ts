/** Reads when a job began, without opening its bus. */
import { z } from "zod";
import { BusError } from "../bus-error.ts";
import { guarded } from "./errors.ts";
import { connect } from "./open.ts";

const atSchema = z.strictObject({ at: z.iso.datetime() }).optional();

/** The time of the first entry in milliseconds since 1970; undefined when there is none or the file cannot be read. */
export function firstEntryTime(file: string): number | undefined {
  try {
    return guarded(file, () => readFirstTime(file));
  } catch (error) {
    if (error instanceof BusError) return undefined;
    throw error;
  }
}

function readFirstTime(file: string): number | undefined {
  const db = connect(file, "readonly", "NORMAL");
  try {
    const first = atSchema.safeParse(db.prepare("SELECT at FROM log WHERE seq = 1").get());
    return first.data === undefined ? undefined : Date.parse(first.data.at);
  } finally {
    db.close();
  }
}
