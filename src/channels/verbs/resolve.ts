/**
 * `cfa resolve PATH`: declares a path of the merge that the turn's workspace holds resolved, as it will stand at the end of the turn. For
 * paths without conflict markers (binary, deleted on one side).
 */
import { realpath } from "node:fs/promises";
import { basename, relative, resolve as absolute, sep } from "node:path";
import type { TurnFacts } from "../../runtime/agents/port.ts";
import { noteResolved } from "../../runtime/outbox-resolved.ts";
import { requireResolvable } from "../../runtime/workspaces/complete.ts";
import { readConflict, unresolvedPaths } from "../../runtime/workspaces/conflict.ts";
import { bytes, gitAt, GitFailure, text } from "../../runtime/workspaces/git.ts";
import type { Tree } from "../../runtime/workspaces/trees.ts";
import type { Environment } from "../turn.ts";
import { done, inTurn, misuse, refusal, type VerbResult } from "./turn.ts";

/** Options of `cfa resolve`. */
export type ResolveOptions = { readonly path?: string | undefined };

/** Declares a path resolved. `cwd` is the directory that it is relative to. */
export function resolve(
  env: Environment,
  { path }: ResolveOptions,
  cwd: string = process.cwd(),
): Promise<VerbResult> {
  return inTurn(env, "resolve", async ({ outbox, facts }) => {
    if (path === undefined) return misuse("say which: `cfa resolve PATH`");
    const tree = await treeOf(facts);
    // The path itself may be gone: that can be its resolution.
    const name = relative(tree.dir, absolute(await realpath(cwd), path))
      .split(sep)
      .join("/");
    const resolved = done("", `${name} counts as resolved; the merge is completed when the turn has ended\n`);
    if (await isSettled(tree, name)) return resolved;
    try {
      await requireResolvable(tree, name);
    } catch (error) {
      if (!(error instanceof Error) || error instanceof GitFailure) throw error;
      return refusal(error.message);
    }
    await noteResolved(outbox, name);
    return resolved;
  });
}

/** The path was in conflict and has been changed since: declaring it is needless, but no mistake. */
async function isSettled(tree: Tree, name: string): Promise<boolean> {
  const record = readConflict(tree);
  if (record === undefined || record.completed !== null) return false;
  const left = await unresolvedPaths(tree, record);
  return record.paths.some(({ path }) => path === bytes(name)) && !left.includes(bytes(name));
}

/** The turn's tree as its own agent sees it: with its rights, so taking git's administration from git adds none. */
async function treeOf({ thread, workspace }: TurnFacts): Promise<Tree> {
  const dir = await realpath(workspace);
  const admin = text(await gitAt({ cwd: dir }).run(["rev-parse", "--absolute-git-dir"])).replace(/\n$/, "");
  return { thread, name: basename(dir), dir, admin, git: gitAt({ cwd: dir, dir: admin, tree: dir }) };
}
