/**
 * What opening a job again costs beside a bare scan of its log, and with a checkpoint, in the same run.
 * Run: npm run build && node --expose-gc bench/opening.mjs [--entries 1000000]
 *
 * B14. The log of bench/durable.mjs. Opening is what `cfa resume` does before it goes on: the file is opened, all folds are made.
 * B15. The bare scan reads all columns of all rows and does nothing with them.
 * B16. With a checkpoint as many entries come after it as there can be before the next one is written (src/runtime/checkpoints.ts).
 *      It is measured on this log and on one of a tenth of its length.
 * B17. Time is processor time; the best of interleaved runs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { checkpointOf, openFolds } from "../dist/engine/checkpoint.js";
import { JobReader } from "../dist/engine/read-job.js";
import { EMPTY_HEAD, sealRound } from "../dist/persistence/chain.js";
import { openSqliteBus } from "../dist/persistence/sqlite/bus.js";
import { createFile } from "../dist/persistence/sqlite/open.js";
import { drafts } from "./drafts.mjs";

const { values: options } = parseArgs({
  options: { entries: { type: "string", default: "100000" }, repeats: { type: "string", default: "3" } },
});
const ENTRIES = Number(options.entries);
const AFTER = 1_000;
const TARGET = 3;

/** Processor milliseconds of `work`. */
async function measure(work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function* rowsOf(count) {
  let head = EMPTY_HEAD;
  for (const draft of drafts(count)) {
    const [{ row }] = sealRound("bench", head, new Date(1.7e12 + head.seq * 1_000).toISOString(), [draft]);
    head = row;
    yield row;
  }
}

async function withBus(file, work) {
  const bus = openSqliteBus(file, { mode: "existing" });
  await work(bus);
  await bus.close();
}

/** Writes the checkpoint of entry `seq`. */
async function checkpointAt(file, seq) {
  await withBus(file, async ({ log }) => {
    const reader = new JobReader();
    for await (const entry of log.read(0, seq)) reader.apply(entry);
    await log.saveCheckpoint(checkpointOf(reader.job()));
  });
}

const open = (file) => measure(() => withBus(file, ({ log }) => openFolds(log)));

const scan = (file) =>
  measure(() => {
    const db = new Database(file, { readonly: true });
    let rows = 0;
    for (const _ of db.prepare("SELECT * FROM log ORDER BY seq").iterate()) rows++;
    db.close();
    if (rows !== ENTRIES) throw new Error(`the log holds ${rows} rows, not ${ENTRIES}`);
  });

/** The best of several interleaved runs of each. */
async function bestOf(runs) {
  const best = {};
  for (let repeat = 0; repeat < Number(options.repeats); repeat++)
    for (const [name, run] of Object.entries(runs))
      best[name] = Math.min(best[name] ?? Infinity, await run());
  return best;
}

const grouped = (number) => Math.round(number).toLocaleString("en");
const verdict = (met) => (met ? "met" : "missed");

const folder = mkdtempSync(join(tmpdir(), "cfa-opening-"));
try {
  console.log(`node --expose-gc bench/opening.mjs · ${cpus()[0]?.model} · Node ${process.version}`);
  const [long, short] = [join(folder, "long.db"), join(folder, "short.db")];
  createFile(long, "bench", rowsOf(ENTRIES));
  createFile(short, "bench", rowsOf(ENTRIES / 10));
  const whole = await bestOf({ again: () => open(long), bare: () => scan(long) });
  const ratio = whole.again / whole.bare;
  console.log(
    `\nOpening a job of ${grouped(ENTRIES)} entries: ${grouped(whole.again)} ms, a bare scan of its log ${grouped(whole.bare)} ms: ${ratio.toFixed(2)} times; target at most ${TARGET}: ${verdict(ratio <= TARGET)}`,
  );
  await checkpointAt(long, ENTRIES - AFTER);
  await checkpointAt(short, ENTRIES / 10 - AFTER);
  const cached = await bestOf({ long: () => open(long), short: () => open(short) });
  console.log(
    `With a checkpoint ${grouped(AFTER)} entries before its end: ${cached.long.toFixed(1)} ms; a job of ${grouped(ENTRIES / 10)} entries ${cached.short.toFixed(1)} ms: ${(cached.long / cached.short).toFixed(2)} times; target: the same`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
