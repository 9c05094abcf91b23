/** All checkers on one run; the first finding counts. */
import { defaults } from "./checkers/defaults.ts";
import { end } from "./checkers/end.ts";
import { interrupts } from "./checkers/interrupts.ts";
import { merges } from "./checkers/merges.ts";
import { messages } from "./checkers/messages.ts";
import { notifications } from "./checkers/notifications.ts";
import { ownership } from "./checkers/ownership.ts";
import { questions } from "./checkers/questions.ts";
import { turns } from "./checkers/turns.ts";
import { withdrawal } from "./checkers/withdrawal.ts";
import { work } from "./checkers/work.ts";
import { type Checker, readLog } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { Simulated } from "./run.ts";

/** The checkers beyond the verifier of logs, in the order in which they are asked. */
export const CHECKERS: readonly Checker[] = [
  ownership,
  turns,
  messages,
  questions,
  defaults,
  notifications,
  interrupts,
  merges,
  work,
  withdrawal,
  end,
];

/** What is wrong with a run; undefined when nothing is. That it did not come to its end is said when nobody knows why. */
export function judge({ world, rows, finding }: Simulated): Finding | undefined {
  const { steps, final, finding: offence } = readLog(rows);
  if (offence !== undefined) return offence;
  const { sights } = world.witness;
  const evidence = { job: world.job, steps, final, sights, trees: world.trees, ended: finding === undefined };
  for (const { name, check } of CHECKERS) {
    const sentence = check(evidence);
    if (sentence !== undefined) return { checker: name, sentence };
  }
  return finding;
}
