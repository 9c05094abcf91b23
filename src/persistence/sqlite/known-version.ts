/**
 * Refuses a log of another version of cfa before anything else of it is read, or anything is added (docs/log.md, "Other versions").
 *
 * K1. Whoever goes on from a checkpoint never comes to the first entry, so it is looked at when the file is opened.
 */
import { requireKnownVersion } from "../checks/versions.ts";
import type { Connection } from "./open.ts";
import { prepareReadPage } from "./read-rows.ts";

/** Sees that the log of `job`, where it has begun, is of versions that this cfa reads. @throws BusError `version`. */
export function requireKnownLog(db: Connection, file: string, job: string): void {
  if (db.prepare("SELECT 1 FROM log WHERE seq = 1").get() === undefined) return;
  for (const first of prepareReadPage(db, file, job)(0, 1)) requireKnownVersion(first, `entry 1 of ${file}`);
}
