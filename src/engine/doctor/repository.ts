/** What a repository offers: the file system of its `.cfa/`, room on it, and what its git lets programs see of each other. */
import { access, constants, mkdtemp, rm, stat, statfs, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gitAt, text } from "../../runtime/workspaces/git.ts";
import { type Finding, limited, missing, ok } from "./finding.ts";

/** Names of file systems by their number (statfs(2)); `network` ones do not lock as SQLite needs it. */
const FILE_SYSTEMS: Readonly<Record<number, { readonly name: string; readonly network?: true }>> = {
  0xef53: { name: "ext4" },
  0x58465342: { name: "xfs" },
  0x9123683e: { name: "btrfs" },
  0x01021994: { name: "tmpfs" },
  0x794c7630: { name: "overlay" },
  0x2fc12fc1: { name: "zfs" },
  0x6969: { name: "nfs", network: true },
  0xff534d42: { name: "cifs", network: true },
  0xfe534d42: { name: "smb2", network: true },
  0x01021997: { name: "9p", network: true },
};

const ROOM_BYTES = 1024 ** 3;

/** Looks at the repository whose top is `top`. Leaves nothing there. */
export async function examineRepository(top: string): Promise<readonly Finding[]> {
  const writable = await access(top, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!writable)
    return [
      missing(
        "repository",
        `${top} cannot be written`,
        "cfa keeps its state in .cfa/ there: chown or chmod it",
      ),
    ];
  return [await fileSystem(top), await room(top), await letterCase(top), await packed(top)];
}

async function fileSystem(top: string): Promise<Finding> {
  const { type } = await statfs(top);
  const known = FILE_SYSTEMS[type];
  const name = known?.name ?? `type 0x${type.toString(16)}`;
  if (known?.network === true) {
    const advice = "keep the repository on a local disk: SQLite's locks are not reliable here";
    return limited("file system", `${top} is on ${name}, over the network`, advice);
  }
  return ok("file system", `${top} is on ${name}`);
}

async function room(top: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(top);
  const free = `${((bavail * bsize) / ROOM_BYTES).toFixed(1)} GiB free`;
  if (bavail * bsize >= ROOM_BYTES) return ok("disk", free);
  return limited("disk", free, "every thread has a worktree of its own: make room");
}

async function letterCase(top: string): Promise<Finding> {
  const folder = await mkdtemp(join(top, ".cfa-doctor-"));
  try {
    await writeFile(join(folder, "a"), "");
    const folds = await stat(join(folder, "A")).then(
      () => true,
      () => false,
    );
    return folds
      ? limited("letter case", "README and readme are one file here", null)
      : ok("letter case", "README and readme are two files");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What lies in packs can be read by every program that sees the history (docs/boundary.md, "Limits"). */
async function packed(top: string): Promise<Finding> {
  const git = gitAt({ cwd: top });
  const asked = ["rev-parse", "--path-format=absolute", "--git-path", "objects"];
  const objects = text(await git.run(asked)).trim();
  const ids = (await git.run(["for-each-ref", "--format=%(objectname)", "refs/cfa"])).split("\n");
  const inPacks = ids.filter((id) => id !== "" && !existsSync(join(objects, id.slice(0, 2), id.slice(2))));
  const what = "siblings";
  if (inPacks.length === 0) return ok(what, "what other threads have written is hidden from programs");
  const detail = `${inPacks.length} commits of threads lie in packs, which every program of a job can read`;
  return limited(what, detail, "cfa gc removes those of jobs that have ended");
}
