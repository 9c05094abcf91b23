import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryBus, memoryStore } from "../../src/persistence/memory.ts";
import type { Bus } from "../../src/persistence/ports.ts";
import { openSqliteBus } from "../../src/persistence/sqlite/bus.ts";
import { busContract } from "./contract.ts";

busContract("memory", () => {
  const store = memoryStore("demo");
  return { open: (options) => memoryBus("demo", { ...options, store }), close: async () => undefined };
});

busContract("SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "cfa-bus-"));
  const buses: Bus[] = [];
  return {
    open: (options) => {
      const bus = openSqliteBus(join(folder, "bus.db"), { job: "demo", synchronous: "NORMAL", ...options });
      buses.push(bus);
      return bus;
    },
    close: async () => {
      for (const bus of buses) await bus.close();
      rmSync(folder, { recursive: true });
    },
  };
});

test("a memory store serves one job", () => {
  expect(() => memoryBus("other", { store: memoryStore("demo") })).toThrow(/holds job "demo", not "other"/);
});
