/**
 * What a person does to a job from outside: left in its inbox, and taken up by whoever runs it.
 *
 * P1. The act is kept whether somebody runs the job or not; it is taken up once.
 */
import { nanoid } from "nanoid";
import { openEngine } from "../engine/engine.ts";
import type { Bus, InboxItem } from "../persistence/ports.ts";
import { awaitEntry } from "./follow.ts";
import { userName } from "./who.ts";
import type { JobPlace } from "./jobs.ts";

/** An act before it has an id and a name under it. */
export type Act = Pick<InboxItem, "verb" | "target" | "text">;

/**
 * Leaves the act and waits for what comes of it, in an entry after number `after`. Undefined when nobody runs the job, or
 * its process ends before: then the act waits for the next one.
 */
export async function postAct(bus: Bus, after: number, act: Act): Promise<string | undefined> {
  const id = nanoid();
  await bus.inbox.post({ id, ...act, by: userName() });
  const taken = await awaitEntry(bus, after, ({ kind, body }) => kind === "act" && body.id === id);
  return taken?.kind === "act" ? taken.body.result : undefined;
}

/** Runs a job that nobody runs only to carry out what waits in its inbox; no turn starts. */
export async function carryOut({ top, id }: JobPlace): Promise<void> {
  const engine = openEngine();
  try {
    const run = await engine.resume(top, id, { actsOnly: true, waitForHuman: false });
    await run.end;
  } finally {
    await engine.close();
  }
}
