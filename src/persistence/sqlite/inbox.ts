/** Posts to the inbox and lists what is pending; taking up is part of a commit (append-round.ts). */
import { z } from "zod";
import { inboxItemSchema } from "../inbox-item.ts";
import type { InboxItem } from "../ports.ts";
import type { Connection } from "./open.ts";

const pendingSchema = z.array(inboxItemSchema);

/** Prepares posting: one short statement; an id that is there already stays as it is. */
export function preparePost(db: Connection): (item: InboxItem) => void {
  const post = db.prepare(
    "INSERT INTO inbox (id, verb, target, text, by) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  return ({ id, verb, target, text, by }) => void post.run(id, verb, target, text, by);
}

/** Prepares listing the pending items, oldest first. */
export function preparePending(db: Connection): () => readonly InboxItem[] {
  const pending = db.prepare(
    "SELECT id, verb, target, text, by FROM inbox WHERE taken IS NULL ORDER BY place",
  );
  return () => pendingSchema.parse(pending.all());
}
