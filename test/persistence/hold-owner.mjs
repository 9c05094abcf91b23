/**
 * A process that owns the job of a file until it is killed, written without any code of cfa.
 * Usage: node hold-owner.mjs FILE EPOCH. Prints "holding" when it owns the job.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import Database from "better-sqlite3";

const [, , file, epoch] = process.argv;
const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
const namespace = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))[0];
const ticks = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")[19];
const now = Date.now();

const db = new Database(file);
db.prepare("UPDATE owner SET epoch = ?, host = ?, pid = ?, started = ?, since = ?, lease = ?").run(
  Number(epoch),
  hostname(),
  process.pid,
  `${boot}/${namespace}/${ticks}`,
  now,
  now + 3_600_000,
);
process.stdout.write("holding\n");
setInterval(() => undefined, 3_600_000);
