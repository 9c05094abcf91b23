/**
 * The scripts and skills of a role, read at load, so that they travel with the job.
 *
 * F1. Only UTF-8 text in regular files is taken; a link, a device or a picture is a problem.
 * F2. A role is bounded: {@link FILES_MAX} files, {@link BYTES_MAX} bytes in all.
 */
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { readText } from "../text-file.ts";
import type { Role } from "./role.ts";

/** Most files of a role. */
export const FILES_MAX = 200;
/** Most bytes of its files together. */
export const BYTES_MAX = 1024 * 1024;
const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What is wrong with the entry at `index` of a list; the sentence continues the name of the key. */
export type ListProblem = {
  readonly key: "scripts" | "skills";
  readonly index: number;
  readonly sentence: string;
};

/** What was read. */
export type RoleFiles = { readonly files: Role["files"]; readonly problems: readonly ListProblem[] };

/** What a folder offers where its role.yaml does not say: every script, every skill. */
export function offeredBy(folder: string): { readonly scripts: string[]; readonly skills: string[] } {
  const names = (of: string, fits: (entry: Dirent) => boolean): string[] => {
    const directory = path.join(folder, of);
    if (!existsSync(directory) || !statSync(directory).isDirectory()) return [];
    const entries = readdirSync(directory, { withFileTypes: true }).filter(
      (entry) => !entry.name.startsWith(".") && fits(entry),
    );
    return entries.map(({ name }) => `${of}/${name}`).sort();
  };
  return { scripts: names("scripts", () => true), skills: names("skills", (entry) => !entry.isFile()) };
}

/** Reads what `scripts` and `skills` name, relative to the folder of the role. */
export function readRoleFiles(
  folder: string,
  lists: { readonly scripts: readonly string[]; readonly skills: readonly string[] },
): RoleFiles {
  const files = new Map<string, string>();
  const problems: ListProblem[] = [];
  let bytes = 0;
  const take = (from: string, as: string, shown: string): string | undefined => {
    if (files.has(as)) return `${shown} has the name of another one: ${as}`;
    const read = readText(from, BYTES_MAX);
    if ("problem" in read) return `${shown} ${read.problem}`;
    bytes += Buffer.byteLength(read.text);
    if (bytes > BYTES_MAX || files.size >= FILES_MAX)
      return `${shown} is too much: a role has at most ${FILES_MAX} files and ${BYTES_MAX / 1024} KiB`;
    files.set(as, read.text);
    return undefined;
  };
  const note = (key: ListProblem["key"], index: number, sentence: string | undefined) => {
    if (sentence !== undefined) problems.push({ key, index, sentence });
  };
  for (const [index, script] of lists.scripts.entries())
    note("scripts", index, take(path.resolve(folder, script), `scripts/${path.basename(script)}`, script));
  for (const [index, skill] of lists.skills.entries()) note("skills", index, takeSkill(folder, skill, take));
  return { files: [...files].map(([name, text]) => ({ path: name, text })).sort(byPath), problems };
}

type Take = (from: string, as: string, shown: string) => string | undefined;

function takeSkill(folder: string, skill: string, take: Take): string | undefined {
  const directory = path.resolve(folder, skill);
  const name = path.basename(directory);
  if (!SKILL_NAME.test(name))
    return `${skill} is no name for a skill: use lower-case letters, digits and hyphens`;
  if (!existsSync(path.join(directory, "SKILL.md"))) return `${skill} holds no SKILL.md`;
  return takeFolder(directory, `skills/${name}`, skill, take);
}

function takeFolder(directory: string, as: string, shown: string, take: Take): string | undefined {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const [from, to, name] = [
      path.join(directory, entry.name),
      `${as}/${entry.name}`,
      `${shown}/${entry.name}`,
    ];
    const problem = entry.isDirectory()
      ? takeFolder(from, to, name, take)
      : entry.isFile()
        ? take(from, to, name)
        : `${name} is neither a file nor a folder`;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}
