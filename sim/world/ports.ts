/**
 * A gate stands before every operation of a port: it is a task when it is asked for, done when its task is chosen, and another
 * task until its caller hears of it. Faults of ports are injected here, and nowhere else.
 *
 * G1. What is asked for by a dead process is never done; what was done and not yet heard of when it died is done and never heard of.
 */
import type { Choices } from "../choice.ts";
import type { Actor, Tasks } from "../tasks.ts";

/** An error that the simulation has made up; whatever else ends a run is a finding. */
export class InjectedFault extends Error {
  override readonly name = "InjectedFault";
}

/** How an operation is to go wrong: not done at all, or done and reported as failed. */
export type Failure = "fails" | "unsure" | undefined;

/** Passes operations of one process of cfa. */
export type Gate = <T>(what: string, perform: () => T | Promise<T>, failure?: () => Failure) => Promise<T>;

/** A gate for an actor (G1). */
export function gateOf(actor: Actor, tasks: Tasks, choices: Choices): Gate {
  const later = (what: string, run: () => void): void => {
    if (choices.percent(50)) tasks.add(actor, what, run);
    else if (actor.state === "live") run();
    else tasks.add(actor, what, run);
  };
  return <T>(what: string, perform: () => T | Promise<T>, failure: () => Failure = () => undefined) =>
    new Promise<T>((resolve, reject: (error: unknown) => void) => {
      const begin = async (): Promise<void> => {
        const wrong = failure();
        if (wrong === "fails") return reject(new InjectedFault(`${what} failed, nothing is done`));
        const settle = await outcomeOf(perform, resolve, reject);
        const tell =
          wrong === "unsure" ? () => reject(new InjectedFault(`${what} is done, and failed`)) : settle;
        return later(`${what} is heard of`, tell);
      };
      tasks.add(actor, what, () => void begin());
    });
}

/** What tells the caller how it went. */
async function outcomeOf<T>(
  perform: () => T | Promise<T>,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Promise<() => void> {
  try {
    const value = await perform();
    return () => resolve(value);
  } catch (error) {
    return () => reject(error);
  }
}
