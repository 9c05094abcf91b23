/**
 * Whatever the tree of agents and whatever they edit: no merge loses work, no two turns meet in a workspace, and nothing of the
 * user's changes (CfA §10). `npm run trees -- --runs 500 --seed 1` tries more of them.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Workspaces } from "../../src/runtime/workspaces/port.ts";
import { bodies, git } from "../engine/fixture.ts";
import { faultsOf } from "./audit.ts";
import { clearAway, type Outcome, play } from "./play.ts";
import { type Node, plans } from "./plan.ts";

const RUNS = Number(process.env["CFA_TREES_RUNS"] ?? 12);
const SEED = Number(process.env["CFA_TREES_SEED"] ?? 1);
const isShrinking = process.env["CFA_TREES_SHRINK"] !== undefined;
/** Properties that run side by side. */
const SHARDS = 4;

/** What happened in the trees of a shard, for whoever wants to know how much they try. */
class Tally {
  readonly #counts = new Map<string, number>();

  add({ entries, end, journal }: Outcome): void {
    const results = bodies(entries, "release").map(({ result }) => result);
    const ended = end.kind === "ended" ? end.state : end.kind;
    for (const name of ["trees", ended, ...results, ...journal.map(() => "turns")])
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  toString(): string {
    return [...this.#counts].map(([name, count]) => `${count} ${name}`).join(", ");
  }
}

describe.concurrent("random dispatch trees with edits", () => {
  for (let shard = 0; shard < SHARDS; shard++) {
    const numRuns = Math.floor((RUNS + shard) / SHARDS);
    const seed = SEED * 1000 + shard;
    test(`${numRuns} from seed ${seed}: every line has a lawful fate, and the user's side stays`, async () => {
      const tally = new Tally();
      const property = fc.asyncProperty(plans, async (plan) => {
        const outcome = await play(plan);
        tally.add(outcome);
        expect(faultsOf(outcome)).toEqual([]);
        clearAway(outcome);
      });
      await fc.assert(property, { numRuns, seed, endOnFailure: !isShrinking });
      console.log(`seed ${seed}: ${String(tally)}`);
    }, 3_600_000);
  }
});

describe.concurrent("the audit sees", () => {
  const leaf: Node = { edits: [{ kind: "own" }], later: [], resolution: "both", fate: "close", children: [] };
  const plan = { root: { ...leaf, children: [leaf] }, withdrawAfter: null };
  /** Ways to lose work, and how the audit names the loss. */
  const losses: readonly (readonly [string, (real: Workspaces) => Workspaces, RegExp])[] = [
    [
      "a merge that was not made",
      (real) => ({
        ...real,
        merge: async (tree, parent) => {
          const { ref } = await real.drop(tree);
          const head = git(real.path(parent), "rev-parse", "HEAD");
          return { result: "merged", merge: head, commit: head, ref: ref ?? "" };
        },
      }),
      /^the merge of dispatch:1\.1\.1 is not of its work$/u,
    ],
    [
      "a file that is gone before the merge",
      (real) => ({
        ...real,
        merge: (tree, parent) => {
          rmSync(join(real.path(tree), "own"), { recursive: true });
          return real.merge(tree, parent);
        },
      }),
      /^L\d+, there after turn 1 of dispatch:1\.1\.1, is in no commit of its line$/u,
    ],
    [
      "a file of the user that has changed",
      (real) => ({
        ...real,
        merge: (tree, parent) => {
          git(join(real.path(parent), "../../../../.."), "config", "user.name", "changed");
          return real.merge(tree, parent);
        },
      }),
      /^\.git\/config was /u,
    ],
  ];

  test.each(losses)("%s", async (_, spoil, sentence) => {
    const outcome = await play(plan, spoil);
    expect(faultsOf(outcome)).toEqual(expect.arrayContaining([expect.stringMatching(sentence)]));
    clearAway(outcome);
  });
});
