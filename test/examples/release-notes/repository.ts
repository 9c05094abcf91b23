/** Real repositories with a given history, made with `git fast-import`: the same input gives the same hashes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

/** A commit: its message, the files it writes, and its parents as indexes; the one before it when they are absent. */
export type CommitSpec = {
  readonly message: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly parents?: readonly number[];
};

/** A repository in a temporary directory, HEAD on `main` at the last commit. */
export type Repository = { readonly root: string; readonly dir: string };

const made: string[] = [];

/** Runs git in a directory with an identity and without any configuration of the machine. */
export async function git(dir: string, args: readonly string[]): Promise<string> {
  const env = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "engine",
    GIT_AUTHOR_EMAIL: "engine@example.org",
    GIT_COMMITTER_NAME: "engine",
    GIT_COMMITTER_EMAIL: "engine@example.org",
  };
  return (await execa("git", args, { cwd: dir, env, maxBuffer: 100_000_000 })).stdout;
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

function importCommit(spec: CommitSpec, at: number): string {
  const parents = spec.parents ?? (at === 0 ? [] : [at - 1]);
  const files = Object.entries(spec.files ?? {}).map(
    ([path, text]) => `M 100644 inline ${path}\n${data(text)}`,
  );
  return [
    `commit refs/heads/main\nmark :${at + 1}\n`,
    `committer Test <test@example.org> ${1_700_000_000 + at * 60} +0000\n`,
    data(spec.message),
    ...parents.map((parent, order) => `${order === 0 ? "from" : "merge"} :${parent + 1}\n`),
    ...files,
    "\n",
  ].join("");
}

/** Makes a repository; `tags` name commits by index. */
export async function makeRepository(
  commits: readonly CommitSpec[],
  tags: Readonly<Record<string, number>> = {},
): Promise<Repository> {
  const root = await mkdtemp(join(tmpdir(), "cfa-release-notes-"));
  made.push(root);
  const dir = join(root, "repository");
  await git(root, ["init", "--quiet", "--initial-branch=main", dir]);
  const stream = [
    ...commits.map(importCommit),
    ...Object.entries(tags).map(([name, at]) => `reset refs/tags/${name}\nfrom :${at + 1}\n\n`),
  ];
  await execa("git", ["fast-import", "--quiet", "--force"], { cwd: dir, input: stream.join("") });
  await git(dir, ["reset", "--quiet", "--hard", "main"]);
  return { root, dir };
}

/** Removes every repository that the test file made. */
export async function removeRepositories(): Promise<void> {
  await Promise.all(made.splice(0).map((root) => rm(root, { recursive: true, force: true })));
}

const SUBJECTS = [
  "feat: add",
  "fix(core): repair",
  "docs: describe",
  "tidy up",
  "test: cover",
  "feat(api)!: rename",
];

/** A straight history of `count` commits, each of which writes a file. */
export const history = (count: number): CommitSpec[] =>
  Array.from({ length: count }, (_, at) => ({
    message: `${SUBJECTS[at % SUBJECTS.length]} part ${at}`,
    files: { [`src/file-${at % 7}.ts`]: `${at}\n` },
  }));
