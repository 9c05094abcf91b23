/**
 * Where the log of a run is kept: in memory, or in a SQLite file. It outlives the processes of cfa; each opens a bus of its own on it.
 *
 * O1. Hints go through this process alone: those of a real file come when the system likes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogRow } from "../src/persistence/chain.ts";
import { listeners } from "../src/persistence/listeners.ts";
import { memoryBus, memoryStore } from "../src/persistence/memory.ts";
import type { BusOptions } from "../src/persistence/options.ts";
import type { Bus, Wake } from "../src/persistence/ports.ts";
import { openSqliteBus } from "../src/persistence/sqlite/bus.ts";
import { sqliteLogFile } from "../src/persistence/sqlite/log-file.ts";

/** The kinds. */
export type StoreKind = "memory" | "sqlite";

/** See the header. */
export type Store = {
  open(options: BusOptions): Bus;
  /** The log as it stands. */
  rows(): readonly LogRow[];
  /** Removes it. */
  end(): Promise<void>;
};

/** A store for one run. */
export function storeOf(kind: StoreKind, job: string): Store {
  return kind === "memory" ? inMemory(job) : inFile(job);
}

function inMemory(job: string): Store {
  const store = memoryStore(job);
  const wake = wakeHere();
  return {
    open: (options) => ({ ...memoryBus(job, { ...options, store }), wake }),
    rows: () => store.rows,
    end: async () => undefined,
  };
}

function inFile(job: string): Store {
  const directory = mkdtempSync(join(tmpdir(), "cfa-simulation-"));
  const file = join(directory, "bus.db");
  const buses: Bus[] = [];
  const wake = wakeHere();
  return {
    open: (options) => {
      const bus = openSqliteBus(file, { ...options, job, synchronous: "NORMAL" });
      buses.push(bus);
      return { ...bus, wake };
    },
    rows: () => {
      const log = sqliteLogFile(file);
      try {
        return [...log.rows()];
      } finally {
        log.close();
      }
    },
    end: async () => {
      for (const bus of buses) await bus.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** See O1. */
function wakeHere(): Wake {
  const subscribers = listeners();
  return { subscribe: (listener) => subscribers.add(listener), notify: () => subscribers.call() };
}
