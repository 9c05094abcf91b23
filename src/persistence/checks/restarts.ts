/**
 * Starts and restarts: one program starts for a turn, and a turn is given back only to a process that takes the job over.
 *
 * R1. A turn has one program: a start that is told twice is told alike. (One that was not told shows nowhere.)
 * R2. `rollback` follows `resume` or `fork` in its commit, and these give back every Run that is not going with its thread.
 * R3. `resume` names the time of the entry before it.
 * R4. While the job is parked, no program starts for a turn that began after it was parked.
 *
 * Turns of the proxy are looked at by proxies.ts; only R1's "one program" holds for them here.
 */
import type { EntryBody } from "../entry.ts";
import type { Flaw, LogCheck, Step } from "../verify.ts";

const WAKES: readonly string[] = ["wake", "wake-int", "interrupt"];

/** The check of starts and restarts. */
export function restartsCheck(): LogCheck {
  const facts = new Starts();
  return {
    name: "restarts",
    says: "one program starts for a turn, and turns are given back when the job is taken over",
    step: (step) => facts.step(step),
    commit: unreturned,
  };
}

class Starts {
  /** Process of each turn. */
  readonly #started = new Map<string, string>();
  /** Threads whose turn began while the job was parked. */
  readonly #late = new Set<string>();
  #parked = false;
  #at = "";

  step({ entry }: Step): string | undefined {
    const at = this.#at;
    this.#at = entry.at;
    switch (entry.kind) {
      case "start":
        return this.#start(entry.body);
      case "park":
        this.#parked = entry.body.parked;
        this.#late.clear();
        return undefined;
      case "fire":
        if (this.#parked && WAKES.includes(entry.body.rule)) this.#late.add(entry.body.at["t"] ?? "");
        return undefined;
      case "resume":
        return entry.body.since === at
          ? undefined
          : `the entry before it was written at ${at}, not at ${entry.body.since}`;
      default:
        return undefined;
    }
  }

  #start(body: EntryBody<"start">): string | undefined {
    const key = keyOf(body);
    const program = `${body.pid} ${body.started}`;
    const known = this.#started.get(key);
    if (known !== undefined && known !== program)
      return `another program has started for turn ${body.turn} on ${body.thread}; a turn has one`;
    this.#started.set(key, program);
    return this.#parked && this.#late.has(body.thread)
      ? `the job is parked: no program starts for a turn on ${body.thread} that began since`
      : undefined;
  }
}

const keyOf = ({ thread, turn }: { readonly thread: string; readonly turn: number }) => `${thread} ${turn}`;

/** See R2. */
function unreturned(steps: readonly Step[]): Flaw | undefined {
  const at = steps.findIndex(({ entry }) => entry.kind === "resume" || entry.kind === "fork");
  const early = steps.find(({ entry }, index) => entry.kind === "rollback" && (at < 0 || index < at));
  if (early !== undefined)
    return {
      seq: early.entry.seq,
      problem:
        "a turn is given back only in the commit by which another process goes on: after resume or fork",
    };
  const taken = steps[at];
  if (taken === undefined) return undefined;
  const back = new Set(steps.flatMap(({ entry }) => (entry.kind === "rollback" ? [entry.body.thread] : [])));
  for (const { thread, lifecycles, terminates } of taken.before.cells()) {
    const isLost = terminates.length === 0 && lifecycles.some(({ kind }) => kind === "Run");
    if (isLost && !back.has(thread))
      return {
        seq: taken.entry.seq,
        problem: `its commit must give back the turn that ran on ${thread}: rollback`,
      };
  }
  return undefined;
}
