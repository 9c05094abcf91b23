/**
 * Simulated concurrency: whatever the world does later is a task, and a seeded choice says which comes next.
 *
 * T1. A task belongs to an actor: a process of cfa, or the process of an agent. Only tasks of live actors run; those of a
 *     frozen one wait, those of a dead one are gone, and what awaits them waits for ever, as after a kill.
 * T2. Between two tasks every promise that can go on does ({@link drained}): nothing depends on how many steps it takes.
 */
import type { Choices } from "./choice.ts";

/** Something that acts in the world, and can be frozen or killed. */
export class Actor {
  state: "live" | "frozen" | "dead" = "live";
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

type Task = { readonly actor: Actor; readonly what: string; readonly run: () => void };

/** See the header. */
export class Tasks {
  #tasks: Task[] = [];

  add(actor: Actor, what: string, run: () => void): void {
    if (actor.state !== "dead") this.#tasks.push({ actor, what, run });
  }

  /** Some task can run now. */
  get ready(): boolean {
    return this.#tasks.some(({ actor }) => actor.state === "live");
  }

  /** Runs one task, chosen. Returns what it was; undefined when none can run. */
  runOne(choices: Choices): string | undefined {
    this.#tasks = this.#tasks.filter(({ actor }) => actor.state !== "dead");
    const ready = this.#tasks.filter(({ actor }) => actor.state === "live");
    if (ready.length === 0) return undefined;
    const task = choices.one(ready);
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
    task.run();
    return `${task.actor.name}: ${task.what}`;
  }

  /** What waits, for a report. */
  waiting(): readonly string[] {
    return this.#tasks.map(({ actor, what }) => `${actor.name} (${actor.state}): ${what}`);
  }
}

/** Settles when every promise that can go on has (T2). */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
