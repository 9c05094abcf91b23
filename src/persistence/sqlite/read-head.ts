/** Reads the newest entry's number, round and hash. */
import { z } from "zod";
import { EMPTY_HEAD, type Head } from "../chain.ts";
import type { Connection } from "./open.ts";

const headSchema = z.strictObject({ seq: z.int(), round: z.int(), hash: z.string() });

/** Prepares the reading of the head; the empty log's where there is no entry. */
export function prepareReadHead(db: Connection): () => Head {
  const newest = db.prepare("SELECT seq, round, hash FROM log ORDER BY seq DESC LIMIT 1");
  return () => {
    const row: unknown = newest.get();
    return row === undefined ? EMPTY_HEAD : headSchema.parse(row);
  };
}
