/**
 * Files that are too large to be kept: git would read and compress them whole at the end of every turn in which they change.
 *
 * V1. What counts is the length, not the room on the disk: a sparse file of 10 GiB is as long to read as a full one.
 */
import { look } from "./safe-path.ts";

/** Longest file of a tree that a commit of cfa holds, bytes. */
export const FILE_BYTES_MAX = 1024 ** 3;

const AT_A_TIME = 256;

/** Those of the paths (byte strings) at which a file stands that is longer than {@link FILE_BYTES_MAX} (V1). */
export async function oversizeAmong(dir: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < paths.length; at += AT_A_TIME) {
    const some = paths.slice(at, at + AT_A_TIME);
    const sizes = await Promise.all(
      some.map((path) => look(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(path, "latin1")]))),
    );
    for (const [index, path] of some.entries()) {
      const stat = sizes[index];
      if (stat?.isFile() === true && stat.size > FILE_BYTES_MAX) found.add(path);
    }
  }
  return found;
}
