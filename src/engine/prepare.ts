/**
 * Everything that is checked before a job starts; nothing is written until all of it holds.
 *
 * P1. What forbids the job is a {@link CannotStart} with a sentence that says what and what to do.
 * P2. What is unusual but handled (dirty, shallow, detached, linked) is a remark.
 */
import { delimiter } from "node:path";
import type { JobDefinition } from "../job/definition.ts";
import { jobId } from "../job/id.ts";
import {
  inspectRepository,
  type Repository,
  resolveCommit,
  trackedArtifacts,
} from "../runtime/workspaces/repository.ts";

/** A job that cannot start, or a wish that cannot be met: one sentence for the user. */
export class CannotStart extends Error {
  override readonly name = "CannotStart";
}

/** A job that may start. */
export type Prepared = {
  readonly definition: JobDefinition;
  readonly repository: Repository;
  /** Commit from which the job's tree starts. */
  readonly base: string;
  readonly remarks: readonly string[];
};

/** The repository that holds `directory`. Throws {@link CannotStart}. */
export async function repositoryAt(directory: string): Promise<Repository> {
  const found = await inspectRepository(directory);
  if ("refused" in found) throw new CannotStart(found.refused);
  return found;
}

/** Checks a definition against its repository. Throws {@link CannotStart}. */
export async function prepareJob(definition: JobDefinition): Promise<Prepared> {
  const repository = await repositoryAt(definition.repository);
  const base = await resolveCommit(repository.top, definition.base);
  if (base === undefined) {
    throw new CannotStart(
      `${repository.top} has no commit "${definition.base}": set "base:" to a branch, tag or hash of it.`,
    );
  }
  if (repository.top.includes(delimiter)) {
    throw new CannotStart(
      `the path ${repository.top} holds a "${delimiter}", which cannot stand in an agent's PATH: move the repository.`,
    );
  }
  const names = Object.entries(definition.artifacts);
  const tracked = await trackedArtifacts(
    repository.top,
    base,
    names.map(([, name]) => name),
  );
  const [clash] = names.filter(([, name]) => tracked.includes(name));
  if (clash !== undefined) {
    const [key, name] = clash;
    throw new CannotStart(
      `${name} is tracked at the base commit, and the job writes an artifact of that name: rename it with "artifacts: { ${key}: OTHER.md }".`,
    );
  }
  return {
    definition: { ...definition, repository: repository.top },
    repository,
    base,
    remarks: remarksOn(repository, base.slice(0, 10)),
  };
}

function remarksOn({ dirty, shallow, linked, branch }: Repository, base: string): string[] {
  const remarks: string[] = [];
  if (dirty) remarks.push(`uncommitted changes are not part of the job: it starts from the commit ${base}`);
  if (shallow) remarks.push("the clone is shallow: agents see only the history that is there");
  if (branch === null) remarks.push("HEAD is detached: the job starts from that commit");
  if (linked) remarks.push("this is a linked worktree: the state of the job lives in it");
  return remarks;
}

/** The id of a prepared job; `number` tells runs of the same job apart. */
export function idOf({ definition, base }: Prepared, number: number): string {
  return jobId(definition, base, number);
}
