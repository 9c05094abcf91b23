/** The first entries of a job: `open`, remarks, what confines its programs, and the request as mail on the job's thread (docs/log.md). */
import type { Draft } from "../persistence/entry.ts";
import { VERSIONS } from "../persistence/entry.ts";
import type { JobDefinition } from "../job/definition.ts";
import { ORCHESTRATOR } from "../job/mail.ts";

/** Name and version of this engine, as the log names it. */
export const ENGINE = "cfa 0.1.0";

/** What opens a job. */
export function openingDrafts(
  job: string,
  definition: JobDefinition,
  base: string,
  branch: string | null,
  remarks: readonly string[],
  boundary: readonly Draft[] = [],
): readonly Draft[] {
  const thread = `job:${job}`;
  const leads = [...new Set(Object.values(definition.states).map(({ agent }) => agent))];
  const rosters = Object.fromEntries(
    Object.entries(definition.agents).map(([name, { roster }]): [string, string[]] => [name, [...roster]]),
  );
  const open: Draft = {
    kind: "open",
    body: {
      versions: VERSIONS,
      job,
      engine: ENGINE,
      root: { agent: ORCHESTRATOR, thread },
      rosters: { ...rosters, [ORCHESTRATOR]: leads },
      cap: definition.limits.fan_out,
      base,
      branch,
      definition: JSON.parse(JSON.stringify(definition)),
    },
  };
  const notes = remarks.map((text): Draft => ({ kind: "note", body: { level: "info", thread: null, text } }));
  const message = { id: `request:${job}`, from: null, kind: "task", body: definition.request } as const;
  const request: Draft = {
    kind: "post",
    body: { agent: ORCHESTRATOR, thread, message, head: false, origin: "human" },
  };
  return [open, ...notes, ...boundary, request];
}
