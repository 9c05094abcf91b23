/**
 * The human is told of a question outside of cfa once: what was lost with its process is told again, what the log holds is not.
 *
 * N1. Each `notify` in the log is of a question that was put to the human and that they were told of before.
 * N2. No process tells a question twice, and none tells one whose `notify` it has read.
 */
import type { Checker, Evidence } from "../evidence.ts";

/** See the header. */
export const notifications: Checker = {
  name: "notifications",
  says: "the human is told of each question that is put to them, and of none again once that is recorded",
  check: (evidence) => inTheLog(evidence) ?? inTheWorld(evidence),
};

function inTheLog({ steps, sights }: Evidence): string | undefined {
  const put = new Set<string>();
  const recorded = new Set<string>();
  for (const { entry } of steps) {
    if (entry.kind === "fire" && entry.body.rule === "escalate") put.add(entry.body.at["e"] ?? "");
    if (entry.kind !== "notify") continue;
    const { question } = entry.body;
    const where = `entry ${entry.seq}: the notification of ${question}`;
    if (!put.has(question)) return `${where} comes before the question is put to the human`;
    if (recorded.has(question)) return `${where} is recorded a second time`;
    recorded.add(question);
    const isTold = sights.some(
      ({ head, event }) => event.kind === "notified" && event.question === question && head < entry.seq,
    );
    if (!isTold) return `${where} was never given`;
  }
  return undefined;
}

function inTheWorld({ steps, sights }: Evidence): string | undefined {
  const recorded = new Map<string, number>();
  for (const { entry } of steps) if (entry.kind === "notify") recorded.set(entry.body.question, entry.seq);
  const claimed = new Map<string, number>();
  const told = new Set<string>();
  for (const { head, event } of sights) {
    if (event.kind === "claimed") claimed.set(event.cfa, head);
    if (event.kind !== "notified") continue;
    const { cfa, question } = event;
    if (told.has(`${cfa} ${question}`)) return `${cfa} tells of ${question} a second time`;
    told.add(`${cfa} ${question}`);
    const known = recorded.get(question) ?? Infinity;
    if (known <= (claimed.get(cfa) ?? 0))
      return `${cfa} tells of ${question}, which entry ${known} has recorded`;
  }
  return undefined;
}
