/**
 * Escalation reaches its answer: a question is open from its asking until it is responded to, by whomever or by its default, or until
 * its thread is withdrawn; and what a person wished is taken up once.
 */
import { threadsNamed } from "../../src/persistence/change.ts";
import type { Step } from "../../src/persistence/verify.ts";
import { DEFAULT_ANSWERER } from "../../src/runtime/questions.ts";
import type { Configuration } from "../../src/soup/configuration.ts";
import type { Checker, Evidence } from "../evidence.ts";

/** See the header. */
export const questions: Checker = {
  name: "questions",
  says: "a question is answered once or withdrawn with its thread, and each wish of a person is taken up once",
  check: (evidence) => openOnes(evidence) ?? wishes(evidence),
};

function openOnes({ steps, final, ended: over }: Evidence): string | undefined {
  const answered = new Set<string>();
  for (const step of steps) {
    const { entry, before, after } = step;
    const threads = [...new Set(threadsNamed(entry))];
    const was = threads.flatMap((thread) => questionsOn(before, thread));
    const is = threads.flatMap((thread) => questionsOn(after, thread));
    const ended = was.filter((one) => !is.includes(one));
    for (const question of ended) {
      const flaw = misended(question, step, answered);
      if (flaw !== undefined) return `entry ${entry.seq}: ${flaw}`;
    }
  }
  const left = [...final.cells()].flatMap(({ thread }) => questionsOn(final, thread));
  return left.length === 0 || !over ? undefined : `the job has ended, and ${left.join(", ")} is still open`;
}

function misended(question: string, { entry, before }: Step, answered: Set<string>): string | undefined {
  const rule = entry.kind === "fire" ? entry.body.rule : entry.kind;
  if (rule === "respond") {
    if (answered.has(question)) return `${question} is answered a second time`;
    answered.add(question);
    return undefined;
  }
  const [thread = ""] = threadsNamed(entry);
  if (rule.startsWith("term-") && before.dying(thread)) return undefined;
  return `${question} is gone without an answer, by ${rule}`;
}

function questionsOn(configuration: Configuration, thread: string): string[] {
  return configuration.cell(thread)?.questions.map(({ question }) => question) ?? [];
}

function wishes({ steps, sights }: Evidence): string | undefined {
  const posted = new Set(sights.flatMap(({ event }) => (event.kind === "posted" ? [event.id] : [])));
  const taken = new Set<string>();
  for (const { entry } of steps) {
    // Default answers are the engine's (defaults.ts).
    if (entry.kind !== "act" || entry.body.by === DEFAULT_ANSWERER) continue;
    const { id } = entry.body;
    if (!posted.has(id)) return `entry ${entry.seq}: nobody has posted ${id}`;
    if (taken.has(id)) return `entry ${entry.seq}: ${id} is taken up a second time`;
    taken.add(id);
  }
  return undefined;
}
