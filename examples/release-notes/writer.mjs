/** The writer: writes the section that its task names, from what `git log` says about its commits. */
import { sectionPath, writeText } from "./files.mjs";
import { track } from "./history.mjs";
import { readPlan } from "./plan.mjs";
import { readSectionTask, sectionReport } from "./reports.mjs";
import { writeSection } from "./section.mjs";
import { Failure, runTurn } from "./turn.mjs";

await runTurn(async ({ message, thread, artifacts }) => {
  const plan = await readPlan(artifacts.plan);
  if (plan === undefined) throw new Failure(`${artifacts.plan} holds no plan that covers its range.`);
  const number = readSectionTask(message);
  if (plan.sections[number - 1] === undefined) throw new Failure("The task names no section of the plan.");
  const path = sectionPath(number);
  await writeText(path, await writeSection(plan, number));
  await track(path);
  return sectionReport(number, plan.sections.length, path, thread);
});
