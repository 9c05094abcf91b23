/** Jobs for the tests of this folder, made from the keys of a job.yaml. */
import { tmpdir } from "node:os";
import { stringify } from "yaml";
import { openingDrafts } from "../../../src/engine/opening.ts";
import { checkJob, type CheckReport } from "../../../src/job/check/check-job.ts";
import { type Direct, Model } from "../../../src/job/check/model.ts";
import { kindsOf } from "../../../src/job/check/roles.ts";
import type { Node } from "../../../src/job/check/walk.ts";
import type { JobDefinition } from "../../../src/job/definition.ts";
import { parseJob } from "../../../src/job/load.ts";

/** Agents by name, each with its roster. */
export type Rosters = Readonly<Record<string, readonly string[]>>;

/** A job of agents that never run. */
export function jobOf(rosters: Rosters, keys: Readonly<Record<string, unknown>> = {}): JobDefinition {
  const agents = Object.fromEntries(
    Object.entries(rosters).map(([name, roster]) => [
      name,
      { adapter: "script", steps: [{ say: "done" }], roster },
    ]),
  );
  const text = stringify({ request: "make it", agents, ...keys });
  return parseJob(text, { file: "job.yaml", directory: tmpdir() }).definition;
}

export const opening = (definition: JobDefinition) => openingDrafts("check", definition, "base", null, []);

/** The job as it stands when it has just been opened. */
export function startOf(definition: JobDefinition): Node {
  const model = Model.opened(opening(definition), kindsOf(definition));
  return { model, from: undefined, step: undefined };
}

export const check = (definition: JobDefinition, maxStates = 150, direct?: Direct): CheckReport =>
  checkJob(definition, opening, { maxStates, maxTurns: 100 }, direct);
