/** Waiting for something to appear in the log of a job that another process runs. */
import type { Entry } from "../persistence/entry.ts";
import { type Bus, POLL_MILLIS } from "../persistence/ports.ts";

/** Whether a live process runs the job. */
export async function isOwned(bus: Bus): Promise<boolean> {
  const owner = await bus.ownership.owner();
  return owner !== undefined && !owner.expired;
}

/**
 * The first entry after number `after` that `wanted` accepts. Undefined when the owner is gone before it came: there is no
 * time limit but the owner's life.
 */
export async function awaitEntry(
  bus: Bus,
  after: number,
  wanted: (entry: Entry) => boolean,
): Promise<Entry | undefined> {
  for (let read = after; ;) {
    const owned = await isOwned(bus);
    for await (const entry of bus.log.read(read)) {
      read = entry.seq;
      if (wanted(entry)) return entry;
    }
    if (!owned) return undefined;
    await nextNews(bus);
  }
}

/** Settles when no live process runs the job any more. */
export async function unowned(bus: Bus): Promise<void> {
  while (await isOwned(bus)) await nextNews(bus);
}

/** Settles when something may have been written, at the latest after {@link POLL_MILLIS}. */
export function nextNews(bus: Bus): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      leave();
      resolve();
    };
    const timer = setTimeout(done, POLL_MILLIS);
    const leave = bus.wake.subscribe(done);
  });
}
