/** The law: withdrawal of any thread at any point leaves nothing of its subtree. */
import { expect, test } from "vitest";
import { fullAgenda, nextRound } from "../../src/rules/round.ts";
import { complete } from "../../src/rules/table.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import { printMolecule, printSoup } from "../../src/soup/print.ts";
import { checkJobs } from "./check.ts";
import { type RandomJob, ROOT } from "./random-job.ts";

function subtree(configuration: Configuration, thread: string): string[] {
  return [thread, ...[...configuration.children(thread)].flatMap((child) => subtree(configuration, child))];
}

/** Molecules of these threads that are left, and which of them have not ended. */
function remains(configuration: Configuration, gone: readonly string[]): string[] {
  const left = [...configuration.molecules()]
    .filter((one) => gone.includes(one.thread) || (one.kind === "Parent" && gone.includes(one.child)))
    .map(printMolecule);
  return [
    ...left,
    ...gone.filter((thread) => !configuration.isClosed(thread)).map((thread) => `${thread} is open`),
  ];
}

/** Withdraws some thread that has not ended; its subtree at that moment. */
function withdraw(job: RandomJob, given: number): string[] {
  const live = job.threads().filter((thread) => !job.configuration.isClosed(thread));
  const thread = live[given % live.length];
  // A thread of which nothing but a workspace is known may be withdrawn, too.
  if (thread === undefined) return [];
  const going = subtree(job.configuration, thread);
  job.outside({ kind: "terminate", thread, mode: given % 2 === 0 ? "merge" : "drop" });
  return going;
}

test("withdrawal of any thread at any point leaves nothing of its subtree: going first, as in rounds", () => {
  checkJobs(600, (job, steps, given) => {
    job.run(steps);
    const going = withdraw(job, given);
    let round = nextRound(complete, job.configuration, fullAgenda(job.configuration));
    while (round.fired[0]?.rule.text.withdrawal === true) {
      round = nextRound(complete, round.configuration, round.agenda);
    }
    expect(remains(round.configuration, going)).toEqual([]);
  });
});

test("withdrawal of any thread at any point leaves nothing of its subtree: whatever else fires meanwhile", () => {
  checkJobs(600, (job, steps, given) => {
    const middle = given % steps.length;
    job.run(steps.slice(0, middle));
    const going = withdraw(job, given);
    job.run(steps.slice(middle));
    job.drain();
    expect(remains(job.configuration, going)).toEqual([]);
    if (going.includes(ROOT)) expect(printSoup(job.configuration)).toEqual([]);
  });
});
