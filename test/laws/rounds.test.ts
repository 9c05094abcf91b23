/** The laws of parallel firing: disjoint redexes commute; a round equals its firings one by one. */
import { expect, test } from "vitest";
import { type Choice, fire, firingOf, replay } from "../../src/rules/fire.ts";
import { type FactRead, threadOf } from "../../src/rules/guards.ts";
import { brokenInvariants } from "../../src/rules/invariants.ts";
import { type Redex, redexes } from "../../src/rules/redex.ts";
import { fullAgenda, isInert, nextRound } from "../../src/rules/round.ts";
import { complete } from "../../src/rules/table.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import type { Molecule } from "../../src/soup/molecule.ts";
import { checkJobs } from "./check.ts";
import { named, type RandomJob } from "./random-job.ts";
import { differences } from "./same.ts";

type Decided = { readonly redex: Redex; readonly choice: Choice | undefined };

/** Looks at a job at every twelfth step. */
function nowAndThen(
  job: RandomJob,
  steps: readonly number[],
  given: number,
  look: (c: Configuration) => void,
): void {
  job.run(steps, (at) => {
    if ((at + given) % 12 === 0) look(job.configuration);
  });
}

/** docs/rules.md, W1: no common molecule, and neither changes a fact that the other's guards rely on. */
function areDisjoint(one: Redex, other: Redex): boolean {
  const facts = (redex: Redex, reads: readonly FactRead[]) =>
    reads.map((read) => `${read.fact} ${threadOf(read, redex.bindings)}`);
  const [writes, others] = [facts(one, one.rule.writes), facts(other, other.rule.writes)];
  const meets = (left: readonly string[], right: readonly string[]) =>
    left.some((fact) => right.includes(fact));
  return (
    !one.matched.some((molecule) => other.matched.includes(molecule)) &&
    !meets(writes, [...others, ...facts(other, other.rule.reads)]) &&
    !meets(others, facts(one, one.rule.reads))
  );
}

function inOrder(before: Configuration, order: readonly Decided[]): Configuration {
  return order.reduce((c, { redex, choice }) => replay(complete, c, firingOf(redex, choice)), before);
}

test("disjoint redexes commute, those with a choice included", () => {
  checkJobs(900, (job, steps, given) => {
    nowAndThen(job, steps, given, (before) => {
      const all = redexes(complete, before).map((redex) => ({ redex, choice: job.choice(redex) }));
      for (const [at, one] of all.entries()) {
        for (const other of all.slice(at + 1)) {
          if (!areDisjoint(one.redex, other.redex)) continue;
          const [left, right] = [inOrder(before, [one, other]), inOrder(before, [other, one])];
          expect(differences(left, right)).toEqual([]);
        }
      }
    });
  });
});

test("a round equals its firings one by one, in any order", () => {
  checkJobs(500, (job, steps, given) => {
    nowAndThen(job, steps, given, (before) => {
      const { fired, configuration } = nextRound(complete, before, fullAgenda(before));
      for (const order of [fired, fired.toReversed(), fired.toSorted(() => job.below(3) - 1)]) {
        expect(
          differences(
            order.reduce((c, redex) => fire(c, redex), before),
            configuration,
          ),
        ).toEqual([]);
      }
    });
  });
});

/** The configuration when all withdrawals are done. */
function withdrawn(before: Configuration): Configuration {
  const { fired, configuration } = nextRound(complete, before, fullAgenda(before));
  return fired[0]?.rule.text.withdrawal === true ? withdrawn(configuration) : before;
}

test("a round equals its records one by one, in any order", () => {
  checkJobs(200, (job, steps, given) => {
    nowAndThen(job, steps, given, (before) => {
      const { fired, configuration } = nextRound(complete, before, fullAgenda(before));
      const meant = named(redexes(complete, before)).map(({ matched }) => matched);
      const same = (one: readonly Molecule[], other: readonly Molecule[]) =>
        one.every((it, at) => it === other[at]);
      // Of three Terminates of one thread a round may absorb two others than its record means; they all come to one.
      const exact = fired.every(({ matched }) => meant.some((one) => same(one, matched)));
      for (const order of [fired, fired.toReversed(), fired.toSorted(() => job.below(3) - 1)]) {
        const replayed = inOrder(before, order.map((redex) => ({ redex, choice: undefined }))); // prettier-ignore
        const seen = exact ? (one: Configuration) => one : withdrawn;
        expect(differences(seen(replayed), seen(configuration))).toEqual([]);
      }
    });
  });
});

test("a round is maximal: what it left out meets what it fired, waits for a withdrawal, or has the record of another", () => {
  checkJobs(200, (job, steps, given) => {
    nowAndThen(job, steps, given, (before) => {
      const { fired } = nextRound(complete, before, fullAgenda(before));
      const withdrawing = fired[0]?.rule.text.withdrawal === true;
      const seen = new Set<string>();
      for (const redex of redexes(complete, before)) {
        const { size } = seen;
        if (seen.add(JSON.stringify(firingOf(redex))).size === size) continue;
        if (!redex.rule.structural || (withdrawing && redex.rule.text.withdrawal !== true)) continue;
        const met = fired.some((one) => !areDisjoint(one, redex));
        if (!met) throw new Error(`${redex.rule.id} on ${redex.bindings.t} was left out`);
      }
    });
  });
});

test("rounds come to rest where no rule matches, and the agenda misses nothing", () => {
  checkJobs(200, (job, steps) => {
    job.run(steps);
    let round = nextRound(complete, job.configuration, fullAgenda(job.configuration));
    while (round.fired.length > 0) round = nextRound(complete, round.configuration, round.agenda);
    expect(isInert(complete, round.configuration)).toBe(true);
    expect(brokenInvariants(round.configuration)).toEqual([]);
  });
});
