/**
 * Plants a bug in a copy of the compiled simulation, and lets that copy simulate until it finds something.
 *
 * L1. The copy lies beside the original, so that it finds the same packages; it goes afterwards.
 */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlantedBug } from "./planted-bugs.ts";

/** What came of a planted bug: what the copy printed first, or nothing within its runs. */
export type Planted = { readonly found: boolean; readonly says: string };

/**
 * Runs the compiled simulation in `directory` with a bug planted, from `seed`, for at most `runs` runs.
 * @throws Error when the text of the bug is not in its module exactly once.
 */
export function plant(directory: string, bug: PlantedBug, seed: number, runs: number): Planted {
  const copy = `${directory}-planted-${process.pid}`;
  try {
    cpSync(directory, copy, { recursive: true });
    change(join(copy, "src", bug.file), bug);
    const words = [join(copy, "sim/main.js"), "--seed", String(seed), "--runs", String(runs), "--brief"];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
    if (status !== 0 && status !== 1) throw new Error(`the simulation with "${bug.name}" broke: ${stderr}`);
    return { found: status === 1, says: stdout.trim() };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function change(file: string, bug: PlantedBug): void {
  const parts = partsOf(file, bug);
  if (parts.length !== 2)
    throw new Error(`"${bug.name}" cannot be planted: its text is ${parts.length - 1} times in ${file}`);
  writeFileSync(file, parts.join(bug.by));
}

/** How often the text of a bug stands in its module of the compiled simulation in `directory`; only once is of use. */
export function placesOf(directory: string, bug: PlantedBug): number {
  return partsOf(join(directory, "src", bug.file), bug).length - 1;
}

function partsOf(file: string, { text }: PlantedBug): readonly string[] {
  return readFileSync(file, "utf8").split(pattern(text));
}

/** The text with any white space between its words. */
function pattern(text: string): RegExp {
  const words = text.split(/\s+/u).map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
  return new RegExp(words.join(String.raw`\s*`), "u");
}
