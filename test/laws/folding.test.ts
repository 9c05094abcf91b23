/** The laws of the record: folding the firings gives the soup; what fires is what its record says. */
import { expect, test } from "vitest";
import { applyDraft } from "../../src/persistence/fold.ts";
import { fire, firingOf, replay } from "../../src/rules/fire.ts";
import { redexes } from "../../src/rules/redex.ts";
import { complete } from "../../src/rules/table.ts";
import { Configuration } from "../../src/soup/configuration.ts";
import { checkJobs } from "./check.ts";
import { named } from "./random-job.ts";
import { differences } from "./same.ts";

test("folding the firings and outside moves, read back from their text, gives the soup", () => {
  checkJobs(300, (job, steps) => {
    job.run(steps);
    let folded = Configuration.empty();
    for (const draft of job.drafts()) {
      const next = applyDraft(complete, folded, draft);
      if ("refused" in next) throw new Error(`${draft.kind}: ${next.refused}`);
      folded = next.configuration;
    }
    expect(differences(folded, job.configuration)).toEqual([]);
  });
});

test("what fires is what its record says", () => {
  checkJobs(100, (job, steps) => {
    job.run(steps, () => {
      const { configuration } = job;
      for (const redex of named(redexes(complete, configuration))) {
        const choice = job.choice(redex);
        const replayed = replay(complete, configuration, firingOf(redex, choice));
        expect(differences(replayed, fire(configuration, redex, choice))).toEqual([]);
      }
    });
  });
});
