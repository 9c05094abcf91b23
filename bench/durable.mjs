/**
 * What writing the log costs beside bare SQLite, in the same run.
 * Run: npm run build && node --expose-gc --single-threaded-gc bench/durable.mjs
 *
 * B11. The log of a real reduction: two threads send messages of some length to and fro, each firing an entry.
 * B12. Bare inserts write the very same rows, with the same transactions, journal and `synchronous`; no trigger, no
 *      check, no hash.
 * B13. Time is processor time, garbage collection included and on the same core; with FULL also the elapsed time, which is mostly
 *      the disk's. Both write at once, a stretch of entries each in turn, so that a busy machine disturbs both alike; of the
 *      whole of each the best of several runs counts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { openSqliteBus } from "../dist/persistence/sqlite/bus.js";
import { drafts } from "./drafts.mjs";

const { values: options } = parseArgs({
  options: { entries: { type: "string", default: "10000" }, repeats: { type: "string", default: "5" } },
});
const ENTRIES = Number(options.entries);
const REPEATS = Number(options.repeats);
const ROUNDS = [1, 5, 20];
/** Entries that one writes before it is the other's turn; a multiple of every size of a round. */
const STRETCH = 500;
const TARGET = 0.5;
const COLUMNS = "seq, round, at, kind, body, prev, hash";

/** Processor and elapsed microseconds of `work`. */
async function measure(work) {
  const [before, begin] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, elapsed: (performance.now() - begin) * 1_000 };
}

function inRounds(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, at * size + size),
  );
}

async function throughBus(file, synchronous) {
  const bus = openSqliteBus(file, { job: "bench", synchronous });
  const { epoch } = await bus.ownership.claim();
  let expected = 0;
  return {
    write: async (rounds) => {
      for (const round of rounds) {
        const entries = await bus.log.commit({ expected, epoch, drafts: round, consumed: [] });
        expected += entries.length;
      }
    },
    close: () => bus.close(),
  };
}

function bare(file, synchronous) {
  const db = new Database(file);
  db.pragma("journal_mode = WAL");
  db.pragma(`synchronous = ${synchronous}`);
  db.exec(
    "CREATE TABLE log (seq INTEGER PRIMARY KEY, round INTEGER NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, prev TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
  );
  const insert = db.prepare(`INSERT INTO log (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const write = db.transaction((rows) => {
    for (const { seq, round, at, kind, body, prev, hash } of rows)
      insert.run(seq, round, at, kind, body, prev, hash);
  });
  return {
    write: async (rounds) => {
      for (const round of rounds) write.immediate(round);
    },
    close: () => db.close(),
  };
}

/** What an entry costs each of two writers that write a stretch in turn: `[the bus, bare]`. */
async function inTurn(writers) {
  globalThis.gc?.();
  const times = writers.map(() => ({ cpu: 0, elapsed: 0 }));
  for (let from = 0; from < ENTRIES; from += STRETCH) {
    for (const [which, { writer, items, size }] of writers.entries()) {
      const rounds = inRounds(items.slice(from, from + STRETCH), size);
      const { cpu, elapsed } = await measure(() => writer.write(rounds));
      times[which].cpu += cpu / ENTRIES;
      times[which].elapsed += elapsed / ENTRIES;
    }
  }
  for (const { writer } of writers) await writer.close();
  return times;
}

function rowsIn(file) {
  const db = new Database(file, { readonly: true });
  const rows = db.prepare(`SELECT ${COLUMNS} FROM log ORDER BY seq`).all();
  db.close();
  return rows;
}

/** The best of several runs of each. */
async function bestOf(run) {
  const best = [];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [which, { cpu, elapsed }] of (await run(repeat)).entries()) {
      const known = best[which] ?? { cpu, elapsed };
      best[which] = { cpu: Math.min(known.cpu, cpu), elapsed: Math.min(known.elapsed, elapsed) };
    }
  }
  return best;
}

const micros = (value) => `${value.toFixed(1).padStart(7)} µs`;
const verdict = (met) => (met ? "met" : "missed");

const folder = mkdtempSync(join(tmpdir(), "cfa-durable-"));
try {
  console.log(
    `node --expose-gc --single-threaded-gc bench/durable.mjs · ${cpus()[0]?.model} · Node ${process.version}`,
  );
  const all = [...drafts(ENTRIES)];
  const first = join(folder, "first.db");
  const once = await throughBus(first, "NORMAL");
  await once.write(inRounds(all, 20));
  await once.close();
  const rows = rowsIn(first);
  console.log(`\nWriting ${ENTRIES} entries, for each: the bus, bare inserts, bus speed beside bare speed`);
  for (const synchronous of ["NORMAL", "FULL"]) {
    for (const size of ROUNDS) {
      const file = (name) => join(folder, `${synchronous}-${size}-${name}.db`);
      const [bus, plain] = await bestOf(async (repeat) =>
        inTurn([
          { writer: await throughBus(file(`${repeat}-bus`), synchronous), items: all, size },
          { writer: bare(file(`${repeat}-plain`), synchronous), items: rows, size },
        ]),
      );
      const [cpu, elapsed] = [plain.cpu / bus.cpu, plain.elapsed / bus.elapsed];
      const share = synchronous === "FULL" ? elapsed : cpu;
      console.log(
        `  ${synchronous.padEnd(6)} rounds of ${String(size).padStart(2)}  processor ${micros(bus.cpu)} ${micros(plain.cpu)} ${cpu.toFixed(2)}` +
          `  elapsed ${micros(bus.elapsed)} ${micros(plain.elapsed)} ${elapsed.toFixed(2)}  target ${TARGET} ${verdict(share >= TARGET)}`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
