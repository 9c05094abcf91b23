/**
 * The shape of an inbox item where it crosses a boundary: posted by another process, read from a store.
 */
import { z } from "zod";
import { invariant } from "../soup/invariant.ts";
import type { InboxItem } from "./ports.ts";

/** Schema of {@link InboxItem}. */
export const inboxItemSchema: z.ZodType<InboxItem> = z.strictObject({
  id: z.string().min(1),
  verb: z.enum(["answer", "interrupt", "withdraw", "tell", "resume", "pause", "resolve", "fork"]),
  target: z.string(),
  text: z.string(),
  by: z.string(),
});

/** States that each id of `consumed` was pending: one writer takes each item up once. */
export function requirePending(id: string, pending: boolean): void {
  invariant(pending, `a commit takes up the inbox item "${id}", which is not pending`);
}
