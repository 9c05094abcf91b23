/**
 * An interrupt is consumed exactly once, or dropped by name: it redirects one instance, or goes with its thread, or its act says why
 * nothing came of it.
 */
import { threadsNamed } from "../../src/persistence/change.ts";
import type { Step } from "../../src/persistence/verify.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import type { Checker } from "../evidence.ts";

const CONSUMES = new Set(["interrupt", "wake-int", "term-int"]);

/** See the header. */
export const interrupts: Checker = {
  name: "interrupts",
  says: "an interrupt is consumed exactly once, or dropped by name",
  check: ({ steps, final, ended }) => {
    const consumed = new Set<string>();
    const wanted = new Map<string, number>();
    for (const step of steps) {
      const { entry } = step;
      if (entry.kind === "act" && entry.body.verb === "interrupt" && entry.body.result === "interrupted")
        wanted.set(entry.body.id, entry.seq);
      // What is recorded but refused by the rules stands as a note in its place.
      if (entry.kind === "interrupt" && !wanted.delete(entry.body.message.id))
        return `entry ${entry.seq}: nobody has asked for this interrupt`;
      if (entry.kind === "note" && entry.body.text.startsWith("interrupt was refused")) wanted.clear();
      const flaw = misconsumed(step, consumed);
      if (flaw !== undefined) return `entry ${entry.seq}: ${flaw}`;
    }
    const [[id, seq] = []] = wanted;
    if (id !== undefined) return `entry ${seq ?? 0}: the interrupt ${id} is nowhere`;
    const left = [...final.cells()].flatMap(({ thread }) => heldOn(final, thread));
    return left.length === 0 || !ended
      ? undefined
      : `the job has ended, and the interrupt ${left[0]} is left`;
  },
};

function misconsumed({ entry, before, after }: Step, consumed: Set<string>): string | undefined {
  const threads = [...new Set(threadsNamed(entry))];
  const left = threads.flatMap((thread) => heldOn(after, thread));
  const gone = threads.flatMap((thread) => heldOn(before, thread)).filter((id) => !left.includes(id));
  const rule = entry.kind === "fire" ? entry.body.rule : entry.kind;
  if (gone.length > 0 && !(entry.kind === "fire" && CONSUMES.has(rule)))
    return `${rule} takes the interrupt ${gone[0]}`;
  if (gone.length > 1) return `the interrupts ${gone.join(", ")} go at once`;
  for (const id of gone) {
    if (consumed.has(id)) return `the interrupt ${id} is consumed a second time`;
    consumed.add(id);
  }
  return undefined;
}

function heldOn(configuration: Configuration, thread: string): string[] {
  return configuration.cell(thread)?.interrupts.map(({ message }) => message.id) ?? [];
}
