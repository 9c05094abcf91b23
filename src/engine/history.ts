/**
 * A log as a row of steps: each entry with the configuration before and after it. What replay, step and why are made from.
 *
 * H1. Configurations are immutable, so every one of them stays at hand; going back costs nothing.
 */
import type { Entry } from "../persistence/entry.ts";
import { foldEntry } from "../persistence/fold.ts";
import type { Step } from "../persistence/verify.ts";
import { complete } from "../rules/table.ts";
import { Configuration } from "../soup/configuration.ts";

/** The steps of a log, one after the other. Throws LogInvalid where the rules do not allow an entry. */
export function* stepsOf(entries: Iterable<Entry>): Generator<Step, void, void> {
  let before = Configuration.empty();
  for (const entry of entries) {
    const after = foldEntry(complete, before, entry);
    yield { entry, before, after };
    before = after;
  }
}
