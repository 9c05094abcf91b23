/** Repositories as they are: each made in a temporary directory, with what an agent writes there and what must come of it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitIn, writeIn } from "../runtime/workspaces/repository.ts";

/** What stands at a path: text, bytes, a link, an executable file, or nothing. */
export type Content = string | Buffer | null | { readonly link: string } | { readonly executable: string };

/** A kind of repository. */
export type Kind = {
  readonly name: string;
  /** Makes it below `parent`; returns what `--repo` names. Without it the plain repository of {@link makeBase}. */
  readonly make?: (parent: string) => string;
  /** What a child writes. Paths are byte strings. */
  readonly writes?: Readonly<Record<string, Content>>;
  /** What is delivered of it, where that is not what was written. */
  readonly delivers?: Readonly<Record<string, Content>>;
  /** What the log says that the commit does not hold. */
  readonly left?: RegExp;
  /** Paths of the user's side that git itself changes whoever works there, with why. */
  readonly apart?: readonly string[];
};

/** A repository with some files on `main`, in the folder `repository` below `parent`. */
export function makeBase(parent: string, ...options: readonly string[]): string {
  const top = join(parent, "repository");
  mkdirSync(top);
  gitIn(top, "init", "--quiet", ...options);
  writeIn(top, "text.txt", "one\ntwo\nthree\n");
  writeIn(top, "deep/er/file.txt", "deep\n");
  writeIn(top, ".gitignore", "*.log\n");
  return commitAll(top);
}

function commitAll(top: string): string {
  gitIn(top, "add", "--all");
  gitIn(top, "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "commit", "-qm", "base");
  return top;
}

const configured =
  (settings: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) =>
  (parent: string): string => {
    const top = makeBase(parent);
    for (const [path, content] of Object.entries(files)) writeIn(top, path, content);
    if (Object.keys(files).length > 0) commitAll(top);
    for (const [name, value] of Object.entries(settings)) gitIn(top, "config", name, value);
    return top;
  };

/** Every hook that a commit, checkout, merge or change of refs may run, each of which spoils and fails. */
const HOOKS = [
  "pre-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "pre-merge-commit",
  "post-merge",
  "post-checkout",
  "post-index-change",
  "post-rewrite",
  "reference-transaction",
  "pre-auto-gc",
  "fsmonitor-watchman",
];

function writeHooks(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const hook of HOOKS)
    writeFileSync(join(directory, hook), "#!/bin/sh\ntouch hooked\nexit 1\n", { mode: 0o755 });
}

const FILES = 50_000;

/** A repository of 50,000 files, written by git itself. */
function manyFiles(parent: string): string {
  const top = makeBase(parent);
  const entries = Array.from(
    { length: FILES },
    (_, at) => `M 100644 inline many/${at % 250}/${at}.txt\ndata 2\nx\n`,
  );
  const who = "committer User <user@example.org> 1700000000 +0000";
  const input = `commit refs/heads/main\n${who}\ndata 4\nmany\nfrom refs/heads/main^0\n${entries.join("")}\n`;
  execFileSync("git", ["fast-import", "--quiet"], { cwd: top, input, stdio: ["pipe", "ignore", "inherit"] });
  gitIn(top, "reset", "--quiet", "--hard");
  return top;
}

function withSubmodule(parent: string): string {
  const other = join(parent, "other");
  mkdirSync(other);
  gitIn(other, "init", "--quiet");
  writeIn(other, "inside.txt", "inside\n");
  commitAll(other);
  const top = makeBase(parent);
  gitIn(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
  return commitAll(top);
}

function cloned(...options: readonly string[]) {
  return (parent: string): string => {
    const origin = makeBase(parent);
    writeIn(origin, "second.txt", "second\n");
    commitAll(origin);
    gitIn(origin, "config", "uploadpack.allowFilter", "true");
    gitIn(parent, "clone", "--quiet", ...options, `file://${origin}`, "clone");
    return join(parent, "clone");
  };
}

function dirty(parent: string): string {
  const top = makeBase(parent);
  writeIn(top, "text.txt", "unstaged\n");
  writeIn(top, "staged.txt", "staged\n");
  gitIn(top, "add", "staged.txt");
  writeIn(top, "staged.txt", "staged, then changed\n");
  writeIn(top, "untracked.txt", "untracked\n");
  writeIn(top, "ignored.log", "ignored\n");
  gitIn(top, "rm", "--quiet", "--cached", "deep/er/file.txt");
  return top;
}

function inMidMerge(parent: string): string {
  const top = makeBase(parent);
  gitIn(top, "checkout", "--quiet", "-b", "side");
  writeIn(top, "text.txt", "side\n");
  commitAll(top);
  gitIn(top, "checkout", "--quiet", "main");
  writeIn(top, "text.txt", "main\n");
  commitAll(top);
  try {
    gitIn(top, "merge", "--quiet", "side");
  } catch {
    return top; // it stops in the conflict
  }
  throw new Error("the merge should conflict");
}

function sparse(parent: string): string {
  const top = makeBase(parent);
  writeIn(top, "kept/a.txt", "a\n");
  writeIn(top, "left/b.txt", "b\n");
  commitAll(top);
  gitIn(top, "sparse-checkout", "set", "kept");
  return top;
}

function linked(parent: string): string {
  const top = makeBase(parent);
  gitIn(top, "worktree", "add", "--quiet", "-b", "side", join(parent, "linked"));
  return join(parent, "linked");
}

function replaced(parent: string): string {
  const top = makeBase(parent);
  const [head = "", tree = ""] = gitIn(top, "rev-parse", "HEAD", "HEAD^{tree}").split("\n");
  const other = gitIn(top, "commit-tree", "-m", "another root", tree);
  writeIn(top, "second.txt", "second\n");
  commitAll(top);
  gitIn(top, "replace", head, other);
  return top;
}

const rot13 = "tr A-Za-z N-ZA-Mn-za-m";
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 3\n`;
const LFS = { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "big.bin": POINTER };
const bytesOf = (text: string): string => Buffer.from(text).toString("latin1");

/** Repositories in which a job runs. */
export const KINDS: readonly Kind[] = [
  { name: "a plain one" },
  { name: "a submodule", make: withSubmodule },
  { name: "LFS pointers without git-lfs", make: configured({}, LFS), writes: { "more.bin": POINTER } },
  {
    name: "LFS configured, but not required, and no git-lfs",
    make: configured(
      { "filter.lfs.clean": "git-lfs-none clean", "filter.lfs.smudge": "git-lfs-none smudge" },
      LFS,
    ),
    writes: { "more.bin": POINTER },
  },
  {
    name: "a sparse checkout",
    make: sparse,
    writes: { "kept/a.txt": "changed\n", "kept/new.txt": "new\n", "left/new.txt": "outside\n" },
  },
  {
    name: "a rename that changes only the case",
    writes: { "text.txt": null, "Text.txt": "one\ntwo\nthree\n" },
  },
  {
    name: "symbolic links: to a file, dangling, to outside, to a directory; one in place of a file",
    writes: {
      "to-file": { link: "text.txt" },
      dangling: { link: "nowhere" },
      outside: { link: "/etc/hostname" },
      "to-directory": { link: "deep" },
      "deep/er/file.txt": { link: "../../.." },
    },
  },
  {
    name: "links as plain files (core.symlinks)",
    make: (parent) => {
      const top = makeBase(parent);
      gitIn(top, "config", "core.symlinks", "false");
      const id = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: top, input: "text.txt" });
      gitIn(top, "update-index", "--add", "--cacheinfo", `120000,${id.toString().trim()},link`);
      gitIn(top, "commit", "-qm", "link");
      gitIn(top, "checkout", "--quiet", "--", "link");
      return top;
    },
    writes: { link: "elsewhere" },
    delivers: { link: { link: "elsewhere" } },
  },
  {
    name: "executable bits",
    writes: { "run.sh": { executable: "#!/bin/sh\n" }, "text.txt": { executable: "x" } },
  },
  {
    name: "executable bits that do not count (core.fileMode)",
    make: configured({ "core.fileMode": "false" }),
    writes: { "run.sh": { executable: "#!/bin/sh\n" } },
    delivers: { "run.sh": "#!/bin/sh\n" },
  },
  {
    name: "names of every sort",
    writes: {
      "with space": "1",
      " \" quotes ' ": "2",
      "line\nbreak": "3",
      "tab\tand\\backslash": "4",
      "-leading-dash": "5",
      "--": "6",
      ":(glob)*": "7",
      "#hash!": "8",
      [bytesOf("日本語/ファイル.txt")]: "9",
      [bytesOf("عربي")]: "10",
      [bytesOf("e\u0301 and é")]: "11",
      "not \xff\xfe utf-8": "12",
      [`deep/${"d".repeat(200)}/${"f".repeat(200)}`]: "13",
    },
  },
  { name: "50,000 files", make: manyFiles, writes: { "many/7/7.txt": "changed\n", "many/8/8.txt": null } },
  { name: "changes staged, unstaged and untracked", make: dirty },
  { name: "a merge of the user's that has stopped in a conflict", make: inMidMerge },
  {
    name: "a detached HEAD",
    make: (parent) => {
      const top = makeBase(parent);
      gitIn(top, "checkout", "--quiet", "--detach");
      return top;
    },
  },
  { name: "nobody's name", make: configured({ "user.useConfigOnly": "true" }) },
  {
    name: "hooks of the user's",
    make: (parent) => {
      const top = makeBase(parent);
      writeHooks(join(top, ".git/hooks"));
      return top;
    },
  },
  {
    name: "hooks of the user's in a folder of their own",
    make: (parent) => {
      const top = makeBase(parent);
      writeHooks(join(parent, "hooks"));
      gitIn(top, "config", "core.hooksPath", join(parent, "hooks"));
      return top;
    },
  },
  {
    name: "signing that cannot work",
    make: configured({ "commit.gpgSign": "true", "tag.gpgSign": "true", "gpg.program": "/nowhere/gpg" }),
  },
  { name: "a shallow clone", make: cloned("--depth=1") },
  { name: "a partial clone", make: cloned("--filter=blob:none") },
  {
    name: "objects in another repository (alternates)",
    make: (parent) => {
      gitIn(parent, "clone", "--quiet", "--shared", makeBase(parent), "clone");
      return join(parent, "clone");
    },
  },
  {
    name: "line ends that git converts",
    make: configured({ "core.autocrlf": "true" }),
    writes: { "dos.txt": "a\r\nb\r\n", "unix.txt": "a\nb\n" },
    delivers: { "dos.txt": "a\nb\n", "unix.txt": "a\nb\n" },
  },
  {
    name: "another encoding in the tree",
    make: configured({}, { ".gitattributes": "*.u16 text working-tree-encoding=UTF-16LE\n" }),
    writes: { "wide.u16": Buffer.from("häuser\n", "utf16le") },
    delivers: { "wide.u16": "häuser\n" },
  },
  {
    name: "clean and smudge filters",
    make: (parent) => {
      const top = makeBase(parent);
      for (const name of ["clean", "smudge"]) gitIn(top, "config", `filter.rot.${name}`, rot13);
      writeIn(top, ".gitattributes", "*.rot filter=rot\n");
      writeIn(top, "old.rot", "plain\n");
      return commitAll(top);
    },
    writes: { "new.rot": "Hello\n" },
    delivers: { "new.rot": "Uryyb\n" },
  },
  {
    name: "a merge driver",
    make: configured(
      { "merge.both.driver": "cat %B >> %A" },
      { ".gitattributes": "log.txt merge=both\n", "log.txt": "begun\n" },
    ),
    writes: { "log.txt": "child\n" },
    delivers: { "log.txt": "lead\nchild\n" },
  },
  {
    name: "a monitor of the file system",
    make: (parent) => {
      const top = makeBase(parent);
      writeFileSync(join(parent, "monitor"), `#!/bin/sh\ntouch ${JSON.stringify(join(top, "monitored"))}\n`, {
        mode: 0o755,
      });
      gitIn(top, "config", "core.fsmonitor", join(parent, "monitor"));
      return top;
    },
  },
  { name: "a linked worktree", make: linked },
  {
    name: "a git directory elsewhere",
    make: (parent) => makeBase(parent, "--separate-git-dir", join(parent, "elsewhere")),
  },
  { name: "SHA-256", make: (parent) => makeBase(parent, "--object-format=sha256") },
  { name: "replaced objects", make: replaced },
  {
    name: "files of ours that the base tracks",
    make: (parent) => {
      const top = makeBase(parent);
      writeIn(top, ".sortie/status", "blocked\n");
      writeIn(top, ".cfa/outcome.json", "{}\n");
      return commitAll(top);
    },
  },
  {
    name: "a lock that another git holds",
    make: (parent) => {
      const top = makeBase(parent);
      writeIn(top, ".git/index.lock", "");
      return top;
    },
  },
  {
    name: "a repository inside the workspace",
    writes: {
      "inner/.git/HEAD": "ref: refs/heads/main\n",
      "inner/.git/objects/x": "",
      "inner/.git/refs/x": "",
      "inner/file": "x",
    },
    delivers: {},
    left: /^"inner\/" is a git repository of its own and is left out: its files are in no snapshot, merge or delivery\./u,
  },
];

/** Repositories in which no job can run, and how they are refused. */
export const REFUSED: readonly (readonly [string, (parent: string) => string, RegExp])[] = [
  [
    "an empty one",
    (parent) => {
      mkdirSync(join(parent, "empty"));
      gitIn(join(parent, "empty"), "init", "--quiet");
      return join(parent, "empty");
    },
    /has no commit yet: make a first commit, then start the job\.$/u,
  ],
  [
    "a bare one",
    (parent) => {
      gitIn(parent, "init", "--quiet", "--bare", "bare");
      return join(parent, "bare");
    },
    /is a bare repository: name a worktree of it with --repo\.$/u,
  ],
  [
    "one whose files need a program that is not there",
    configured({ "filter.lfs.process": "git-lfs-none filter-process", "filter.lfs.required": "true" }, LFS),
    /its files need the filter "lfs", whose program git-lfs-none is not on the PATH \(big\.bin, for one\): install it\.$/u,
  ],
  [
    "one that folds the case of names, on a file system that does not",
    configured({ "core.ignoreCase": "true" }),
    /has core\.ignoreCase set, .*: run "git config core\.ignoreCase false" there\.$/u,
  ],
];
