/** The first entry is `open`, no other is, and it names versions that this cfa knows (CfA §13). */
import { z } from "zod";
import { BusError } from "../bus-error.ts";
import type { LogRow } from "../chain.ts";
import { type Entry, VERSIONS } from "../entry.ts";

const versionsSchema = z.object({ versions: z.record(z.string(), z.int()) });

/** Why an `open` row is of another version; looked at before its body is read, which another version may shape differently. */
export function unreadableVersion(row: LogRow): string | undefined {
  if (row.kind !== "open") return undefined;
  const found = versionsSchema.safeParse(jsonOrNothing(row.body));
  if (!found.success) return undefined;
  for (const [name, known] of Object.entries(VERSIONS)) {
    const version = found.data.versions[name];
    if (version !== undefined && version !== known)
      return `its ${name} is version ${version}, and this cfa reads version ${known}: use a cfa that knows it`;
  }
  return undefined;
}

/** Refuses an `open` row of another version; `where` it was found is for the message. @throws BusError `version`. */
export function requireKnownVersion(row: LogRow, where: string): void {
  const problem = unreadableVersion(row);
  if (problem !== undefined) throw new BusError("version", `${where}: ${problem}`);
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Why an entry cannot stand where it does: the first one opens the job, and no other does. */
export function misopened(entry: Entry): string | undefined {
  if (entry.seq === 1 && entry.kind !== "open") return `the first entry must be open, not ${entry.kind}`;
  if (entry.kind !== "open") return undefined;
  return entry.seq === 1 ? undefined : "a job is opened once, by its first entry";
}
