/**
 * What writing the log costs beside bare SQLite, in the same run. Run: npm run build && node --expose-gc bench/durable.mjs
 *
 * B11. The log of a real reduction: two threads send messages of some length to and fro, each firing an entry.
 * B12. Bare inserts write the very same rows, with the same transactions, journal and `synchronous`; no trigger, no
 *      check, no hash.
 * B13. Time is processor time; with FULL also the elapsed time, which is mostly the disk's. Best of interleaved runs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { openSqliteBus } from "../dist/persistence/sqlite/bus.js";
import { drafts } from "./drafts.mjs";

const { values: options } = parseArgs({
  options: { entries: { type: "string", default: "10000" }, repeats: { type: "string", default: "3" } },
});
const ENTRIES = Number(options.entries);
const REPEATS = Number(options.repeats);
const ROUNDS = [1, 5, 20];
const TARGET = 0.5;
const COLUMNS = "seq, round, at, kind, body, prev, hash";

/** Processor and elapsed microseconds an item of `work`. */
async function measure(work) {
  globalThis.gc?.();
  const [before, begin] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / ENTRIES, elapsed: ((performance.now() - begin) * 1_000) / ENTRIES };
}

function inRounds(items, size) {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, at * size + size),
  );
}

async function throughBus(file, rounds, synchronous) {
  const bus = openSqliteBus(file, { job: "bench", synchronous });
  const { epoch } = await bus.ownership.claim();
  let expected = 0;
  const time = await measure(async () => {
    for (const round of rounds) {
      const entries = await bus.log.commit({ expected, epoch, drafts: round, consumed: [] });
      expected += entries.length;
    }
  });
  await bus.close();
  return time;
}

async function bare(file, rounds, synchronous) {
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
  const time = await measure(() => {
    for (const round of rounds) write.immediate(round);
  });
  db.close();
  return time;
}

function rowsIn(file) {
  const db = new Database(file, { readonly: true });
  const rows = db.prepare(`SELECT ${COLUMNS} FROM log ORDER BY seq`).all();
  db.close();
  return rows;
}

/** The best of several interleaved runs of each. */
async function bestOf(runs) {
  const best = {};
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [name, run] of Object.entries(runs)) {
      const { cpu, elapsed } = await run(`${repeat}-${name}`);
      const known = best[name] ?? { cpu, elapsed };
      best[name] = { cpu: Math.min(known.cpu, cpu), elapsed: Math.min(known.elapsed, elapsed) };
    }
  }
  return best;
}

const micros = (value) => `${value.toFixed(1).padStart(7)} µs`;
const verdict = (met) => (met ? "met" : "missed");

const folder = mkdtempSync(join(tmpdir(), "cfa-durable-"));
try {
  console.log(`node --expose-gc bench/durable.mjs · ${cpus()[0]?.model} · Node ${process.version}`);
  const all = [...drafts(ENTRIES)];
  const first = join(folder, "first.db");
  await throughBus(first, inRounds(all, 20), "NORMAL");
  const rows = rowsIn(first);
  console.log(`\nWriting ${ENTRIES} entries, for each: the bus, bare inserts, bus speed beside bare speed`);
  for (const synchronous of ["NORMAL", "FULL"]) {
    for (const size of ROUNDS) {
      const file = (name) => join(folder, `${synchronous}-${size}-${name}.db`);
      const { bus, plain } = await bestOf({
        bus: (name) => throughBus(file(name), inRounds(all, size), synchronous),
        plain: (name) => bare(file(name), inRounds(rows, size), synchronous),
      });
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
