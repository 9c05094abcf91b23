/**
 * The skills that are shipped with cfa: texts that tell an agent how to work in a state (CfA §4; docs/skills.md).
 *
 * K1. They lie in the package, outside every worktree: nothing that an agent does to its tree changes them.
 * K2. A skill of a name that cfa does not ship is the agent's own affair: it is named to it and nothing more.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

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
  // Two folders above the sources and above the build.
  const file = fileURLToPath(new URL(`../../skills/${name}/SKILL.md`, import.meta.url));
  const text = readFileSync(file, "utf8")
    .replace(/^---\n[^]*?\n---\n/, "")
    .trim();
  const skill = { name, file, text };
  read.set(name, skill);
  return skill;
}
