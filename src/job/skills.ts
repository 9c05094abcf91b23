/**
 * The skills that are shipped with cfa: texts that tell an agent how to work in a state (CfA §4; docs/skills.md).
 *
 * K1. They lie in the package, outside every worktree: nothing that an agent does to its tree changes them.
 * K2. A skill of a name that cfa does not ship is the agent's own affair: it is named to it and nothing more.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../soup/invariant.ts";

/** Names of the skills of cfa. */
export const SKILLS = ["intent-alignment", "planning", "execute", "escalation", "attempt-task"] as const;

/** A skill that cfa ships. */
export type Skill = {
  readonly name: string;
  /** Absolute path of its SKILL.md. */
  readonly file: string;
  /** Its text below the head that names and describes it. */
  readonly text: string;
};

const read = new Map<string, Skill>();

/** The shipped skill of this name; undefined when there is none (K2). */
export function skillOf(name: string): Skill | undefined {
  if (!SKILLS.some((one) => one === name)) return undefined;
  const known = read.get(name);
  if (known !== undefined) return known;
  const file = join(packageFolder(), "skills", name, "SKILL.md");
  const text = readFileSync(file, "utf8")
    .replace(/^---\n[^]*?\n---\n/, "")
    .trim();
  const skill = { name, file, text };
  read.set(name, skill);
  return skill;
}

/** The folder of the package: sources, `dist/` and the build of the simulation lie at different depths below it. */
function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const above = dirname(folder);
    invariant(above !== folder, "cfa lies in no package");
    folder = above;
  }
  return folder;
}
