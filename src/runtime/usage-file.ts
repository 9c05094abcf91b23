/**
 * `usage.jsonl` in the outbox of a turn: what an agent reports of its own use, one report a line (docs/cost.md).
 *
 * F1. A report is no effect: a turn that leaves nothing else has failed.
 * F2. Reports count however the turn ends; they were paid for. Those of a turn that was stopped are a lower bound.
 * F3. What cannot be read is named in the log, and its amounts are unknown, never zero.
 */
import { constants } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { TurnResult } from "./agents/port.ts";
import { USAGE_FILE } from "./outbox.ts";
import { parseJson } from "./outbox-facts.ts";
import { readRegular } from "./outbox-file.ts";
import {
  isUnknown,
  lowerBound,
  priced,
  type Prices,
  UNREADABLE_REPORT,
  type Usage,
  usageOf,
  type UsageReport,
  usageReportSchema,
} from "./usage.ts";

/** Reports that a turn may make. */
export const REPORTS_MAX = 1000;
const BYTES_MAX = 1024 * 1024;
/** Bad lines that the log names one by one. */
const NAMED_MAX = 5;

/** Adds a report to those of the turn. */
export async function noteUsage(outbox: string, report: UsageReport): Promise<void> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
  const flag = O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY;
  await appendFile(join(outbox, USAGE_FILE), `${JSON.stringify(report)}\n`, { flag });
}

/** Why this is no report, as the end of a sentence; undefined for a good one. */
export function mistakeIn(report: unknown): string | undefined {
  const { error } = usageReportSchema.safeParse(report);
  return error?.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")} ${message}`))
    .join("; ");
}

/** What a turn of `agent` has used: what its adapter reports, else what stands in its outbox; and what could not be read. */
export async function turnUsage(
  outbox: string,
  { usage: reported, stop }: Pick<TurnResult, "usage" | "stop">,
  prices: Prices,
  agent: string,
): Promise<{ readonly usage: Usage; readonly problems: readonly string[] }> {
  const whole = (usage: Usage): Usage => (stop === "aborted" ? lowerBound(usage) : usage);
  if (!isUnknown(reported)) return { usage: whole(priced(reported, prices, agent)), problems: [] };
  const { reports, problems } = await readReports(outbox);
  return { usage: whole(usageOf(reports, prices, agent)), problems };
}

async function readReports(
  outbox: string,
): Promise<{ readonly reports: readonly UsageReport[]; readonly problems: readonly string[] }> {
  const file = await readRegular(join(outbox, USAGE_FILE), BYTES_MAX);
  if (file === undefined) return { reports: [], problems: [] };
  if ("problem" in file)
    return { reports: [], problems: [`outbox file ${USAGE_FILE} ${file.problem}: ignored`] };
  const lines = file.text.split("\n").filter((line) => line.trim() !== "");
  const read = lines.slice(0, REPORTS_MAX).map((line) => usageReportSchema.safeParse(parseJson(line)));
  const bad = read.flatMap(({ error }, index) =>
    error === undefined ? [] : [`report ${index + 1} in ${USAGE_FILE} is none (${wordsOf(error)}): ignored`],
  );
  const more = bad.length - NAMED_MAX;
  const problems = more > 0 ? [...bad.slice(0, NAMED_MAX), `${more} more of its reports are none`] : bad;
  const reports = read.map(({ data }) => data ?? UNREADABLE_REPORT);
  if (lines.length <= REPORTS_MAX) return { reports, problems };
  const over = `${USAGE_FILE} holds more than ${REPORTS_MAX} reports: the others are ignored`;
  return { reports: [...reports, UNREADABLE_REPORT], problems: [...problems, over] };
}

function wordsOf(error: z.ZodError): string {
  return z.prettifyError(error).replaceAll(/\s+/g, " ").slice(0, 200);
}
