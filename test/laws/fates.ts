/**
 * The fate of every message: where it is, and how it ended. A model beside the rules that knows nothing of how they match.
 *
 * Mail is in a broadcast, in a mailbox, in an interrupt or in a turn. It ends once: consumed by its turn, named in the
 * refusal that its sender gets, or named in the termination of its thread.
 */
import { type Configuration, moleculesOf } from "../../src/soup/configuration.ts";
import type { Message } from "../../src/soup/message.ts";
import type { Molecule } from "../../src/soup/molecule.ts";
import type { Taken } from "./random-job.ts";

type Place = "Send" | "Mailbox" | "Run" | "Interrupt";
type Fate = "consumed" | "refused" | "terminated";

function mailIn(molecule: Molecule): readonly (readonly [Place, Message])[] {
  switch (molecule.kind) {
    case "Send":
      return [...molecule.payloads].flatMap((one) =>
        one.kind === "deliver" ? [["Send", one.message] as const] : [],
      );
    case "Mailbox":
      return [...molecule.messages].map((message) => ["Mailbox", message]);
    case "Run":
    case "Interrupt":
      return [[molecule.kind, molecule.message]];
    default:
      return [];
  }
}

/** The mail of the threads in which two configurations differ: before and after. */
function changedMail(before: Configuration, after: Configuration) {
  const changed = [...after.cells()]
    .filter((cell) => before.cell(cell.thread) !== cell)
    .map(({ thread }) => thread);
  const mail = (configuration: Configuration) =>
    changed.flatMap((thread) => {
      const cell = configuration.cell(thread);
      return cell === undefined ? [] : Array.from(moleculesOf(cell), mailIn).flat();
    });
  return { before: mail(before), after: mail(after) };
}

/** By which step a message comes into being. */
const ORIGINS: readonly string[] = ["send-step", "respond", "refuse", "post", "interrupt-move"];

/** By which step a message goes from one place to another. */
const WAYS: Readonly<Record<string, readonly string[]>> = {
  "Send Mailbox": ["send", "spark"],
  "Mailbox Run": ["wake"],
  "Interrupt Run": ["interrupt", "wake-int"],
  "Run Mailbox": ["rollback"],
};

/** Follows every message of a job. */
export class Fates {
  readonly #fates = new Map<string, Fate>();
  readonly #places = new Map<string, Place>();

  /** Follows one step. Throws when a message is lost, doubled, or ends in another way than it may. */
  follow(step: Taken): void {
    const name =
      "move" in step
        ? step.move.kind === "interrupt"
          ? "interrupt-move"
          : step.move.kind
        : step.redex.rule.id;
    const { before, after } = changedMail(step.before, step.after);
    const here = new Set<string>();
    for (const [place, { id }] of after) {
      if (here.has(id)) throw new Error(`${id} is in two places after ${name}`);
      here.add(id);
      const was = before.find(([, message]) => message.id === id)?.[0];
      if (was === undefined) this.#comes(id, name);
      else if (was !== place && WAYS[`${was} ${place}`]?.includes(name) !== true) {
        throw new Error(`${name} took ${id} from ${was} to ${place}`);
      }
      this.#places.set(id, place);
    }
    for (const [place, message] of before) {
      if (!here.has(message.id)) this.#ends(message.id, fateBy(step, name, place, message));
    }
  }

  /** Messages that are still somewhere. */
  pending(): string[] {
    return [...this.#places.keys()];
  }

  #comes(id: string, by: string): void {
    if (this.#places.has(id)) throw new Error(`${id} is doubled by ${by}`);
    if (this.#fates.has(id)) throw new Error(`${id} is back after its end, by ${by}`);
    if (!ORIGINS.includes(by)) throw new Error(`${id} came from nowhere, by ${by}`);
  }

  #ends(id: string, fate: Fate): void {
    this.#places.delete(id);
    this.#fates.set(id, fate);
  }
}

function fateBy(step: Taken, name: string, place: Place, message: Message): Fate {
  if ("move" in step) throw new Error(`the move ${name} lost ${message.id}`);
  const { bindings } = step.redex;
  if (place === "Run" && ["send-step", "nosend-step", "ask-step", "interrupt"].includes(name))
    return "consumed";
  if (name.startsWith("term-") && step.before.dying(bindings.t)) return "terminated";
  if (place === "Send" && name === "refuse" && refusalNames(step, message)) return "refused";
  throw new Error(`${name} lost ${message.id}, which was in ${place}`);
}

/** The refusal that came names the thread that the message addressed, and quotes it. */
function refusalNames(step: Taken & { readonly redex: unknown }, message: Message): boolean {
  if ("move" in step) return false;
  const { p, t } = step.redex.bindings;
  const [mailbox] = step.after.cell(t)?.mailboxes ?? [];
  const refusal = [...(mailbox?.messages ?? [])].at(-1);
  return (
    p.kind === "deliver" &&
    p.message === message &&
    refusal?.kind === "refusal" &&
    refusal.re === p.thread &&
    refusal.body.includes(message.body)
  );
}
