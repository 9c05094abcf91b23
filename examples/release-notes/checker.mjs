/** The checker: sees that each section, as merged, names each of its commits exactly once. It changes nothing. */
import { readPlan } from "./plan.mjs";
import { checkReport } from "./reports.mjs";
import { readSections } from "./section.mjs";
import { Failure, runTurn } from "./turn.mjs";

await runTurn(async ({ thread, artifacts }) => {
  const plan = await readPlan(artifacts.plan);
  if (plan === undefined) throw new Failure(`${artifacts.plan} holds no plan that covers its range.`);
  const { faults } = await readSections(plan);
  const reasons = faults.map(({ number, reason }) => `\nsection ${number}: ${reason}`).join("");
  return checkReport(plan.sections.length, faults, thread) + reasons;
});
