/**
 * No message is lost and none doubled: each comes into the soup once, and leaves it by the choice of the one turn that it was
 * given to, by an interrupt that takes its place, or with its thread.
 *
 * M1. A message is in the soup while a mailbox, a Run or an Interrupt holds it.
 * M2. Counted by ids from the configurations around each entry; what the rules say of an entry is not asked.
 */
import { threadsNamed } from "../../src/persistence/change.ts";
import type { Step } from "../../src/persistence/verify.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import type { Checker } from "../evidence.ts";

const COMES_BY = new Set(["post", "interrupt", "send", "spark", "respond", "refuse"]);
const CHOICES = new Set(["send-step", "nosend-step", "ask-step"]);
const GOES_BY = new Set([...CHOICES, "rule interrupt", "term-run", "term-mbox", "term-int"]);

/** See the header. */
export const messages: Checker = {
  name: "messages",
  says: "no message is lost or doubled: each is consumed once, or named where it went",
  check: ({ steps, final, ended }) => {
    const come = new Set<string>();
    for (const step of steps) {
      const flaw = flawOf(step, come);
      if (flaw !== undefined) return `entry ${step.entry.seq} (${nameOf(step)}): ${flaw}`;
    }
    const left = [...final.cells()].flatMap(({ thread }) => [...heldOn(final, thread)]);
    return left.length === 0 || !ended
      ? undefined
      : `the job has ended, and nobody has taken ${left.join(", ")}`;
  },
};

function flawOf(step: Step, come: Set<string>): string | undefined {
  const threads = new Set(threadsNamed(step.entry));
  const before = [...threads].flatMap((thread) => heldOn(step.before, thread));
  const after = [...threads].flatMap((thread) => heldOn(step.after, thread));
  const name = nameOf(step);
  for (const id of without(after, before)) {
    if (!COMES_BY.has(name)) return `message ${id} appears from nowhere`;
    if (come.has(id)) return `message ${id} comes a second time`;
    come.add(id);
  }
  const gone = without(before, after);
  if (gone.length > 0 && !GOES_BY.has(name)) return `message ${gone.join(", ")} is lost`;
  if (gone.length > 1 && name !== "term-mbox") return `messages ${gone.join(", ")} go at once`;
  if (CHOICES.has(name) && gone.length === 0) return "the message of the turn stays in the soup";
  return undefined;
}

/** Rule of a firing, else the kind; the rule `interrupt` is told from the move. */
function nameOf({ entry }: Step): string {
  if (entry.kind !== "fire") return entry.kind;
  return entry.body.rule === "interrupt" ? "rule interrupt" : entry.body.rule;
}

/** Ids of the messages on a thread (M1), each as often as it is there. */
function heldOn(configuration: Configuration, thread: string): string[] {
  const cell = configuration.cell(thread);
  if (cell === undefined) return [];
  return [
    ...cell.mailboxes.flatMap((one) => [...one.messages].map(({ id }) => id)),
    ...cell.lifecycles.flatMap((one) => (one.kind === "Run" ? [one.message.id] : [])),
    ...cell.interrupts.map(({ message }) => message.id),
  ];
}

/** What `of` holds more often than `less`. */
function without(of: readonly string[], less: readonly string[]): string[] {
  const left = [...less];
  return of.filter((id) => {
    const at = left.indexOf(id);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
