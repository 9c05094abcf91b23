/**
 * The human is told outside of cfa of each time a question is put to them, once: what was lost with its process is told again, what the
 * log holds is not.
 *
 * N1. Each `notify` in the log is of a question that was put to the human and that they were told of before, that time.
 * N2. No process tells twice of one time, and none tells of one whose `notify` it has read.
 */
import type { Checker, Evidence } from "../evidence.ts";

/** See the header. */
export const notifications: Checker = {
  name: "notifications",
  says: "the human is told of each time a question is put to them, and not again once that is recorded",
  check: (evidence) => inTheLog(evidence) ?? inTheWorld(evidence),
};

function inTheLog(evidence: Evidence): string | undefined {
  const seen = new Set<string>();
  for (const { seq, question, exchange } of recordedIn(evidence)) {
    const where = `entry ${seq}: the notification of ${question}`;
    if (exchange === 0) return `${where} comes before the question is put to the human`;
    if (seen.has(`${question} ${exchange}`)) return `${where} is recorded a second time`;
    seen.add(`${question} ${exchange}`);
    const isTold = evidence.sights.some(
      ({ head, event }) =>
        event.kind === "notified" && event.question === question && event.exchange === exchange && head < seq,
    );
    if (!isTold) return `${where} was never given`;
  }
  return undefined;
}

function inTheWorld(evidence: Evidence): string | undefined {
  const recorded = new Map(
    recordedIn(evidence).map(({ seq, question, exchange }) => [`${question} ${exchange}`, seq]),
  );
  const claimed = new Map<string, number>();
  const told = new Set<string>();
  for (const { head, event } of evidence.sights) {
    if (event.kind === "claimed") claimed.set(event.cfa, head);
    if (event.kind !== "notified") continue;
    const { cfa, question, exchange } = event;
    const time = `${question} ${exchange}`;
    if (told.has(`${cfa} ${time}`)) return `${cfa} tells of ${question} a second time`;
    told.add(`${cfa} ${time}`);
    const known = recorded.get(time) ?? Infinity;
    if (known <= (claimed.get(cfa) ?? 0))
      return `${cfa} tells of ${question}, which entry ${known} has recorded`;
  }
  return undefined;
}

/** Each `notify` in the log, with how often its question had been put to the human by then. */
function recordedIn({ steps }: Evidence): { seq: number; question: string; exchange: number }[] {
  const put = new Map<string, number>();
  return steps.flatMap(({ entry }) => {
    if (entry.kind === "fire" && entry.body.rule === "escalate") {
      const question = entry.body.at["e"] ?? "";
      put.set(question, (put.get(question) ?? 0) + 1);
    }
    if (entry.kind !== "notify") return [];
    const { question } = entry.body;
    return [{ seq: entry.seq, question, exchange: put.get(question) ?? 0 }];
  });
}
