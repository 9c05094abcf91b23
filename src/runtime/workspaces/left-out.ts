/**
 * What stands in a tree and no commit holds whole, in words: git records of a repository inside a tree at most the name of a
 * commit, and nothing of what it cannot read.
 */
import { text } from "./git.ts";
import type { Change } from "./stage.ts";
import { isPrivate } from "./trees.ts";

/** One sentence for each path; `unstaged` are those (byte strings) that could not be staged (stage.ts, S3). */
export function leftOut(changes: readonly Change[], unstaged: readonly string[]): readonly string[] {
  const shown = (path: string): string => JSON.stringify(text(path));
  return [
    ...changes.flatMap(({ path, submodule }) => {
      if (isPrivate(path)) return [];
      if (path.endsWith("/"))
        return [
          `${shown(path)} is a git repository of its own and is left out: its files are in no snapshot, merge or delivery. Remove its .git, or make it a submodule.`,
        ];
      if (submodule === true)
        return [
          `of the submodule ${shown(path)} only the name of its new commit is kept: push that commit to where the submodule comes from, the workspace goes when it is closed.`,
        ];
      return [];
    }),
    ...unstaged.map(
      (path) =>
        `${shown(path)} cannot be read, is longer than 1 GiB, or is no file, and is left out of every commit.`,
    ),
  ];
}
