/**
 * The id of a job: the same job on the same commit has the same id, so that running it again finds it.
 *
 * I1. `<name>-<8 hex>`, the first digits of the SHA-256 of the canonical JSON of the definition and the base commit.
 * I2. `budget`, `limits`, `notify` and `prices` are no part of it: they say nothing about the work.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "../persistence/canonical-json.ts";
import type { JobDefinition } from "./definition.ts";

/**
 * The id of a job on a base commit.
 * @param number which of several runs of the same job (`--new`), from 1; from 2 on it is appended: `notes-1f0c9a3e-2`.
 */
export function jobId(definition: JobDefinition, baseCommit: string, number = 1): string {
  const { budget: _budget, limits: _limits, notify: _notify, prices: _prices, ...identity } = definition;
  const hash = createHash("sha256").update(canonicalJson({ definition: identity, base: baseCommit }));
  const id = `${definition.name}-${hash.digest("hex").slice(0, 8)}`;
  return number <= 1 ? id : `${id}-${number}`;
}
