/** The law: nothing is sticky. Every configuration is inert and idle, waits for a human, or has a redex. */
import { expect, test } from "vitest";
import { type Redex, redexes, redexesOf } from "../../src/rules/redex.ts";
import { complete, literal } from "../../src/rules/table.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import { Edit } from "../../src/soup/edit.ts";
import type { Molecule } from "../../src/soup/molecule.ts";
import { printMolecule, printSoup } from "../../src/soup/print.ts";
import { checkJobs } from "./check.ts";
import { RandomJob } from "./random-job.ts";

/** Molecules that stay when all is done: idle instances, their empty mailboxes, and the tree. */
const AT_REST = /^(?:Idle|Parent)\(|^Mailbox\(.*,\[\]\)$/u;

function restless(configuration: Configuration): string[] {
  return printSoup(configuration).filter((one) => !AT_REST.test(one));
}

/** The rules of which one must match each time for such a molecule of a live thread to go on. */
const ITS_RULES: Partial<Record<Molecule["kind"], readonly string[]>> = {
  Run: ["send-step"],
  AskQuestion: ["ask"],
  Proxy: ["escalate", "respond"],
  AskHuman: ["human-reply"],
};

/** Molecules of live threads that nothing can move, although they should. */
function frozen(configuration: Configuration, all: readonly Redex[]): string[] {
  return [...configuration.molecules()]
    .filter((molecule) => !configuration.dying(molecule.thread))
    .filter((molecule) => {
      const rules = ITS_RULES[molecule.kind];
      return (
        rules !== undefined &&
        !all.some(({ rule, matched }) => matched[0] === molecule && rules.includes(rule.id))
      );
    })
    .map(printMolecule);
}

test("nothing is sticky: every configuration is inert and idle, waits for a human or a workspace, or has a redex", () => {
  checkJobs(800, (job, steps) => {
    job.run(steps, () => {
      const { configuration } = job;
      const all = redexes(complete, configuration);
      const stuck = all.length > 0 || job.waiting().length > 0 ? [] : restless(configuration);
      const problems = [...stuck, ...frozen(configuration, all)];
      if (problems.length > 0) throw new Error(`nothing moves ${problems.join(" ‖ ")}`);
    });
  });
});

test("every head of a live broadcast has exactly one enabled rule once its workspace is known", () => {
  checkJobs(400, (job, steps) => {
    job.run(steps, () => {
      for (const { thread, payloads } of job.broadcasts()) {
        const head = payloads.head;
        let { configuration } = job;
        if (head?.kind === "deliver" && configuration.cell(head.thread)?.workspace === undefined) {
          configuration = new Edit(configuration).workspace(head.thread, { ready: true, commit: "c" }).done();
        }
        const enabled = redexesOf(complete, configuration, thread).filter(
          ({ matched }) => matched[0]?.kind === "Send",
        );
        if (enabled.length !== 1) expect(enabled.map(({ rule }) => rule.id)).toHaveLength(1);
      }
    });
  });
});

test("when every turn, question and wait ends, all is idle, read and sent", () => {
  checkJobs(400, (job, steps) => {
    job.run(steps);
    expect(job.drain()).toBe(true);
    expect(restless(job.configuration)).toEqual([]);
  });
});

test("the same search finds that literal sticks, and that it may go on for ever", () => {
  const found = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    const job = new RandomJob(literal);
    job.run(Array.from({ length: 40 }, (_, at) => seed * 1_000 + at));
    if (!job.drain(300)) found.add("no rest");
    else for (const one of restless(job.configuration)) found.add(one.slice(0, one.indexOf("(")));
  }
  expect([...found].sort()).toEqual(expect.arrayContaining(["Interrupt", "Send", "no rest"]));
});
