/**
 * Hints between processes that share a job's folder.
 *
 * W1. A hint touches the file `<bus.db>-wake`; subscribers watch the folder for that name. It holds nothing.
 * W2. A hint that cannot be given or watched for (read-only folder, no watches left) is lost: polling is the guarantee.
 * W3. Watching keeps no process alive.
 */
import { closeSync, type FSWatcher, futimesSync, openSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { listeners } from "../listeners.ts";
import type { Wake } from "../ports.ts";

/** The wake of a job's file, with an end to its watching. */
export function fileWake(file: string): Wake & { readonly close: () => void } {
  const hint = `${file}-wake`;
  const subscribers = listeners();
  let watcher: FSWatcher | undefined;
  const unwatch = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  return {
    subscribe: (listener) => {
      const leave = subscribers.add(listener);
      watcher ??= watchFor(hint, () => subscribers.call(), unwatch);
      return () => {
        leave();
        if (subscribers.count() === 0) unwatch();
      };
    },
    notify: () => {
      subscribers.call();
      touch(hint);
    },
    close: unwatch,
  };
}

function watchFor(hint: string, found: () => void, failed: () => void): FSWatcher | undefined {
  const name = basename(hint);
  try {
    const watcher = watch(dirname(hint), { persistent: false }, (_event, changed) => {
      if (changed === name) found();
    });
    return watcher.on("error", failed);
  } catch {
    return undefined; // W2
  }
}

function touch(hint: string): void {
  try {
    const handle = openSync(hint, "a");
    try {
      const now = new Date();
      futimesSync(handle, now, now);
    } finally {
      closeSync(handle);
    }
  } catch {
    return; // W2
  }
}
