/** `cfa replay [JOB | FILE]`: the run as readable lines, one an entry (docs/replay.md). */
import { stepsOf } from "../../engine/history.ts";
import { suggest } from "../../job/suggest.ts";
import type { Step } from "../../persistence/verify.ts";
import { complete } from "../../rules/table.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { entriesOf, type LogSource, withSource } from "../log-source.ts";
import { configurationLines } from "../view/configuration-lines.ts";
import { agentsNamed, replayLine, replayObject, soupLines, touches } from "../view/replay-line.ts";
import { NamesAsked } from "../view/names-asked.ts";

/** Options of `cfa replay`. */
export type ReplayOptions = {
  readonly repo?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly thread?: string | undefined;
  readonly agent?: string | undefined;
  readonly rule?: string | undefined;
  readonly at?: string | undefined;
  readonly soup?: boolean | undefined;
  readonly jsonl?: boolean | undefined;
};

/** Prints the run, as far as somebody reads. */
export async function replayCommand(
  context: Context,
  word: string | undefined,
  options: ReplayOptions,
): Promise<number> {
  const { rule, at } = options;
  if (rule !== undefined) requireRule(rule);
  const from = entryNumber("--from", options.from) ?? 1;
  const to = entryNumber("--to", options.to) ?? Infinity;
  if (from > to) throw new Misuse(`--from ${from} is after --to ${to}: no entry is between them`);
  const wanted = entryNumber("--at", at);
  if (wanted !== undefined) requireAlone(options);
  return withSource(context, options.repo, word, async (source) => {
    if (wanted !== undefined) return printAt(context, source, wanted, options.soup ?? false);
    const names = new NamesAsked(options);
    const { stdout } = context;
    for (const step of stepsOf(entriesOf(source))) {
      const { seq } = step.entry;
      names.meet(step);
      if (seq > to && names.met) break;
      if (seq < from || seq > to || !isWanted(step, options)) continue;
      for (const line of linesOf(step, options)) say(stdout, line);
      await stdout.drained();
      if (stdout.closed()) return EXIT.completed;
    }
    const unknown = names.unknown(source.name);
    if (unknown !== undefined) throw new Misuse(unknown);
    return EXIT.completed;
  });
}

/** Options that choose among lines; `--at` prints none. */
const CHOOSING = ["from", "to", "thread", "agent", "rule", "jsonl"] as const;

function requireAlone(options: ReplayOptions): void {
  const other = CHOOSING.find((name) => options[name] !== undefined && options[name] !== false);
  if (other === undefined) return;
  throw new Misuse(
    `--at prints what stands after one entry, and --${other} chooses among lines: leave one of them out`,
  );
}

function linesOf(step: Step, { jsonl = false, soup = false }: ReplayOptions): readonly string[] {
  if (jsonl) return [JSON.stringify(replayObject(step))];
  return soup ? [replayLine(step), ...soupLines(step)] : [replayLine(step)];
}

function isWanted({ entry }: Step, { thread, agent, rule }: ReplayOptions): boolean {
  if (rule !== undefined && (entry.kind !== "fire" || entry.body.rule !== rule)) return false;
  if (agent !== undefined && !agentsNamed(entry).includes(agent)) return false;
  return thread === undefined || touches(entry, thread);
}

/** Prints the configuration after entry `wanted`; with `soup` the molecules that the entry changed. */
function printAt({ stdout }: Context, source: LogSource, wanted: number, soup: boolean): number {
  let last = 0;
  for (const step of stepsOf(entriesOf(source))) {
    last = step.entry.seq;
    if (last < wanted) continue;
    const lines = soup ? [replayLine(step), ...soupLines(step)] : configurationLines(step.after);
    for (const line of lines) say(stdout, line);
    return EXIT.completed;
  }
  throw new Misuse(`the log of ${source.name} ends at entry ${last}: there is no entry ${wanted}`);
}

function requireRule(rule: string): void {
  if (complete.byId.has(rule)) return;
  const near = suggest(rule, [...complete.byId.keys()]);
  const hint =
    near === undefined ? `known are ${[...complete.byId.keys()].join(", ")}` : `did you mean ${near}?`;
  throw new Misuse(`there is no rule ${rule}: ${hint}`);
}

/** The number of an entry, from 1. */
export function entryNumber(option: string, word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(word))
    throw new Misuse(`${option} takes the number of an entry, not "${word}"`);
  return Number(word);
}
