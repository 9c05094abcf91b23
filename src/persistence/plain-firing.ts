/**
 * The firings that make up most of a log, recognised in a tenth of the time that their schema takes: those without a choice,
 * and broadcasts that only deliver.
 *
 * P1. What is recognised fits {@link firingSchema} as it stands. What is not may fit it all the same: then the schema is asked.
 */
import type { EntryBody } from "./entry.ts";

const KINDS: ReadonlySet<unknown> = new Set([
  "task",
  "reply",
  "answer",
  "refusal",
  "recovery",
  "human",
  "control",
]);

/** Whether a value is a firing of this plain form (P1). */
export function isPlainFiring(body: unknown): body is EntryBody<"fire"> {
  if (!isObject(body) || !isName(body["rule"])) return false;
  const { at, choice } = body;
  if (!isObject(at) || !areTexts(at)) return false;
  if (!("choice" in body)) return countOf(body) === 2;
  if (countOf(body) !== 3 || !isObject(choice) || countOf(choice) !== 1) return false;
  const { ps } = choice;
  return Array.isArray(ps) && ps.every(isDelivery);
}

function isDelivery(value: unknown): boolean {
  if (!isObject(value) || value["kind"] !== "deliver" || countOf(value) !== 4) return false;
  const { agent, thread, message } = value;
  return isName(agent) && isName(thread) && isMessage(message);
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || countOf(value) !== 4) return false;
  const { id, from, kind, body } = value;
  return isName(id) && KINDS.has(kind) && typeof body === "string" && isSender(from);
}

function isSender(value: unknown): boolean {
  if (value === null) return true;
  return isObject(value) && countOf(value) === 2 && isName(value["agent"]) && isName(value["thread"]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function areTexts(value: Readonly<Record<string, unknown>>): boolean {
  for (const key in value) if (typeof value[key] !== "string") return false;
  return true;
}

function countOf(value: object): number {
  let count = 0;
  for (const _ in value) count += 1;
  return count;
}
