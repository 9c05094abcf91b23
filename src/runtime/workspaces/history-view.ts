/**
 * What a confined program sees of the repository: enough for `git status`, `log` and `diff` of its own tree, all of it read-only.
 *
 * V1. In place of the git directory that all worktrees share stands a view of it, made here: HEAD, refs that the base of the job
 *     contains, the tree's own line, and of the configuration only what says how files are compared. No hook, no remote, no
 *     user's setting, and no ref of another thread is in it.
 * V2. Of the loose objects it holds those that can be reached from the base and from the tree's HEAD, as hard links. So what siblings
 *     have written is not there: git keeps what cfa commits as loose objects, as long as nobody packs the repository.
 * V3. Packs, and the object stores that the repository borrows from, are let in whole: they can hold other branches, and after a
 *     `git gc` of the user's also snapshots of siblings (docs/boundary.md says so as a limit).
 * V4. The tree's administration is let in read-only: its index and HEAD are cfa's to write. `git add` and `git commit` fail inside.
 * V5. The places of a view are the same from the spark of a thread to its end; what stands there is brought up to date before each turn.
 */
import { randomUUID } from "node:crypto";
import { copyFile, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isErrno } from "../../soup/errno.ts";
import { type Mount, seen } from "../boundary/port.ts";
import { bytes, fields, text } from "./git.ts";
import { look } from "./safe-path.ts";
import { isJobTree, jobBranch, type JobGit, refs, type Tree, viewPath } from "./trees.ts";
import { readIfThere } from "./worktrees.ts";

/** Settings that say how files are compared and which format the repository has (V1). */
const SETTINGS =
  /^(core\.(repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|sparsecheckout|sparsecheckoutcone|bare)|extensions\.(objectformat|worktreeconfig))$/;

/** The mounts by which a program in `tree` sees its history, before there need be anything to see (V5): what a boundary is proven with. */
export async function historyPlaces(job: JobGit, tree: Tree): Promise<readonly Mount[]> {
  const base = viewPath(job, "base");
  const view = viewPath(job, tree.name);
  const [borrowed] = await Promise.all([borrowedStores(job), makeBase(job, base), makeFolders(tree, view)]);
  return mountsOf(job, tree, borrowed);
}

/** The mounts by which a program in `tree` sees its history; brings the view up to date first. */
export async function historyMounts(job: JobGit, tree: Tree): Promise<readonly Mount[]> {
  const base = viewPath(job, "base");
  const view = viewPath(job, tree.name);
  const merging = (await readIfThere(join(tree.admin, "MERGE_HEAD")))?.split("\n")[0] ?? "";
  const tips = ["HEAD", ...(/^[0-9a-f]{40,64}$/.test(merging) ? [merging] : [])];
  const [head, own] = await Promise.all([
    tree.git.run(["rev-parse", "--verify", "HEAD^{commit}"]),
    tree.git.run(["rev-list", "--objects", ...tips, "--not", refs.base(job.job)]),
    makeBase(job, base),
  ]);
  const borrowed = await borrowedStores(job);
  await Promise.all([
    fillView(job, tree, { view, base, borrowed, head: head.trim() }),
    linkObjects(job, idsIn(own), join(view, "objects")),
  ]);
  return mountsOf(job, tree, borrowed);
}

function mountsOf(job: JobGit, tree: Tree, borrowed: readonly string[]): readonly Mount[] {
  return [
    { kind: "bind", from: viewPath(job, tree.name), at: job.common, write: false },
    seen(join(job.common, "objects", "pack")),
    seen(tree.admin),
    seen(join(viewPath(job, "base"), "objects")),
    ...borrowed.map(seen),
  ];
}

/** Folders of a view: what stands in it, and where something is let in. */
async function makeFolders(tree: Tree, view: string): Promise<void> {
  const folders = ["refs", "objects/info", "objects/pack", `worktrees/${basename(tree.admin)}`, "info"];
  await Promise.all(folders.map((folder) => mkdir(join(view, folder), { recursive: true })));
}

/** What all trees of the job share: objects and refs that its base contains. Made once, whole or not at all. */
async function makeBase(job: JobGit, base: string): Promise<void> {
  if ((await look(base)) !== undefined) return;
  const at = refs.base(job.job);
  const format = "--format=%(objectname) %(refname)";
  const [named, settings] = await Promise.all([
    job.git.run(["for-each-ref", `--merged=${at}`, format, "refs/heads", "refs/remotes", "refs/tags"]),
    job.git.run(["config", "--local", "--list", "-z"]),
  ]);
  const packed = named.split("\n").filter((line) => line !== "" && !line.includes(" refs/heads/cfa/"));
  const tips = packed.map((line) => line.split(" ")[0] ?? "");
  const input = [at, ...tips].map((tip) => `${tip}\n`).join("");
  const objects = await job.git.run(["rev-list", "--objects", "--unpacked", "--stdin"], { input });
  const made = `${base}.${randomUUID()}`;
  await mkdir(join(made, "objects"), { recursive: true });
  await linkObjects(job, idsIn(objects), join(made, "objects"));
  await writeFile(join(made, "packed-refs"), packed.map((line) => `${line}\n`).join(""), "latin1");
  await writeFile(join(made, "config"), configOf(fields(settings)), "latin1");
  for (const name of ["shallow", "info/exclude"]) await copyIfThere(join(job.common, name), join(made, name));
  await rename(made, base).catch(async (error: unknown) => {
    // Another tree's turn has made it meanwhile.
    await rm(made, { recursive: true, force: true });
    if (!isErrno(error, "ENOTEMPTY", "EEXIST")) throw error;
  });
}

function configOf(entries: readonly string[]): string {
  return entries
    .map((entry) => {
      const split = entry.indexOf("\n");
      return split < 0
        ? ([entry, "true"] as const)
        : ([entry.slice(0, split), entry.slice(split + 1)] as const);
    })
    .filter(([key]) => SETTINGS.test(key))
    .map(([key, value]) => {
      const [section = "", name = ""] = key.split(".");
      return `[${section}]\n\t${name} = ${JSON.stringify(value)}\n`;
    })
    .join("");
}

type Filling = {
  readonly view: string;
  readonly base: string;
  readonly borrowed: readonly string[];
  readonly head: string;
};

/** Everything of a view but its objects (V1). */
async function fillView(job: JobGit, tree: Tree, { view, base, borrowed, head }: Filling): Promise<void> {
  await makeFolders(tree, view);
  const named = await readFile(join(base, "packed-refs"), "latin1");
  const own = isJobTree(job, tree.thread) ? `${head} ${bytes(`refs/heads/${jobBranch(job.job)}`)}\n` : "";
  const stores = [join(base, "objects"), ...borrowed];
  await Promise.all([
    writeFile(join(view, "HEAD"), `${head}\n`),
    writeFile(join(view, "packed-refs"), named + own, "latin1"),
    writeFile(join(view, "objects/info/alternates"), stores.map((store) => `${store}\n`).join("")),
    ...["config", "shallow", "info/exclude"].map((name) => copyIfThere(join(base, name), join(view, name))),
  ]);
}

/** Object stores that the repository borrows from (gitrepository-layout(5), objects/info/alternates). */
async function borrowedStores(job: JobGit): Promise<readonly string[]> {
  const objects = join(job.common, "objects");
  const lines = ((await readIfThere(join(objects, "info/alternates"))) ?? "").split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => resolve(objects, line));
}

/** First words of the lines of `rev-list --objects`. */
const idsIn = (out: string): readonly string[] =>
  text(out)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" ")[0] ?? "");

/** Links the loose ones of these objects into a store (V2). */
async function linkObjects(job: JobGit, ids: readonly string[], store: string): Promise<void> {
  const folders = new Set(ids.map((id) => id.slice(0, 2)));
  await Promise.all([...folders].map((folder) => mkdir(join(store, folder), { recursive: true })));
  await Promise.all(
    ids.map(async (id) => {
      const path = join(id.slice(0, 2), id.slice(2));
      await linkOrCopy(join(job.common, "objects", path), join(store, path));
    }),
  );
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    // It lies in a pack, or was linked before.
    if (isErrno(error, "ENOENT", "EEXIST")) return;
    if (!isErrno(error, "EXDEV", "EPERM", "EMLINK")) throw error;
    await copyFile(from, to);
  }
}

async function copyIfThere(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to);
  } catch (error) {
    if (!isErrno(error, "ENOENT")) throw error;
  }
}
