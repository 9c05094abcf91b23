/**
 * The bus as one process of cfa has it: the real one behind gates, with the faults of stores and hints.
 */
import type { Entry } from "../../src/persistence/entry.ts";
import { type Bus, type Commit, StaleCommit } from "../../src/persistence/ports.ts";
import type { Choices } from "../choice.ts";
import { countFault, type FaultCounts } from "../faults.ts";
import type { Actor, Tasks } from "../tasks.ts";
import type { Failure, Gate } from "./ports.ts";
import type { Witness } from "./witness.ts";

/** What it is made of. */
export type SimulatedBusOptions = {
  readonly actor: Actor;
  readonly real: Bus;
  readonly gate: Gate;
  readonly tasks: Tasks;
  readonly choices: Choices;
  readonly witness: Witness;
  readonly faults: FaultCounts;
  /** New faults may still be injected. */
  readonly faulty: () => boolean;
  /** Whether the next commit goes wrong, and how. */
  readonly failure: () => Failure;
  /** Told when a commit stands in the log, before its writer is. */
  readonly committed: (entries: readonly Entry[]) => void;
};

/** See the header. */
export function simulatedBus(options: SimulatedBusOptions): Bus {
  const { actor, real, gate, witness, failure, committed } = options;
  const cfa = actor.name;
  const append = async (commit: Commit) => {
    const entries = await real.log.commit(commit).catch((error: unknown) => {
      if (error instanceof StaleCommit) countFault(options.faults, "stale-commit");
      throw error;
    });
    const { expected: from, epoch } = commit;
    witness.see({ kind: "committed", cfa, epoch, from, to: from + entries.length });
    committed(entries);
    return entries;
  };
  return {
    job: real.job,
    log: {
      ...real.log,
      commit: (commit) => gate(`commit ${commit.drafts.length} entries`, () => append(commit), failure),
      read: async function* (after, upTo) {
        await gate("read the log", () => undefined);
        yield* real.log.read(after, upTo);
      },
    },
    inbox: {
      post: (item) => gate("post", () => real.inbox.post(item)),
      pending: () => gate("look into the inbox", () => real.inbox.pending()),
    },
    ownership: {
      claim: () =>
        gate("claim", async () => {
          const claim = await real.ownership.claim();
          if ("epoch" in claim) witness.see({ kind: "claimed", cfa, epoch: claim.epoch });
          return claim;
        }),
      beat: (epoch) => gate("beat", () => real.ownership.beat(epoch)),
      release: (epoch) => gate("release", () => real.ownership.release(epoch)),
      owner: () => gate("ask who owns the job", () => real.ownership.owner()),
    },
    wake: {
      notify: () => real.wake.notify(),
      subscribe: (listener) => real.wake.subscribe(() => hint(options, listener)),
    },
    close: async () => undefined,
  };
}

/** A hint: it may be lost, or come twice. */
function hint({ actor, tasks, choices, faults, faulty }: SimulatedBusOptions, listener: () => void): void {
  const lost = faulty() && choices.percent(25);
  const doubled = !lost && faulty() && choices.percent(15);
  if (lost) countFault(faults, "hint-lost");
  if (doubled) countFault(faults, "hint-doubled");
  for (let n = lost ? 0 : doubled ? 2 : 1; n > 0; n--) tasks.add(actor, "hint", listener);
}
