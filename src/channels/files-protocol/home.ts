/**
 * The home of a file-based agent, made ready for a turn (docs/files.md, "The layout").
 *
 * H1. A turn finds an empty outbox and a `pending` status.json; what the turn before left of both is kept in `kept/<turn>/`. All else stays.
 *     What a failed turn left is kept there at once: whoever is told of it finds it there for good.
 * H2. What an agent has put in the place of a folder or of status.json is removed, never followed.
 * H3. What it has locked is opened again when its program has ended: its owner is cfa.
 */
import { chmod, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TurnFacts } from "../../runtime/agents/port.ts";
import { replaceFile } from "../../runtime/outbox-file.ts";
import { FILE_BYTES_MAX } from "../../runtime/workspaces/oversize.ts";
import { look } from "../../runtime/workspaces/safe-path.ts";
import { copyRegular } from "./copy.ts";
import {
  INBOX_FOLDER,
  KEPT_FOLDER,
  MESSAGES_FOLDER,
  OUTBOX_FOLDER,
  SKILL_FILE,
  STATUS_FILE,
  WORKSPACE_FOLDER,
} from "./layout.ts";
import { writePending } from "./status-json.ts";

const FOLDERS = [INBOX_FOLDER, OUTBOX_FOLDER, WORKSPACE_FOLDER, MESSAGES_FOLDER] as const;

/** Makes the home ready for a turn (H1). */
export async function makeHome(home: string, turn: number, skill: string): Promise<void> {
  await unlockHome(home);
  await ensureFolder(home);
  await ensureFolder(join(home, KEPT_FOLDER));
  await keepTurnBefore(home);
  // Where this turn's outbox goes when the next one begins.
  await mkdir(join(home, KEPT_FOLDER, String(turn)), { recursive: true });
  for (const folder of FOLDERS) await ensureFolder(join(home, folder));
  await writeReadOnly(home, SKILL_FILE, skill);
  await rm(join(home, STATUS_FILE), { recursive: true, force: true });
  await writePending(home);
}

/** Opens what an agent has locked of its home: folders that cfa reads, and status.json (H3). Nobody writes any more. */
export async function unlockHome(home: string): Promise<void> {
  for (const name of ["", STATUS_FILE, ...FOLDERS]) await unlock(join(home, name));
}

async function unlock(path: string): Promise<void> {
  const stat = await look(path);
  const mode = Number(stat?.mode ?? 0);
  if (stat?.isDirectory() === true && (mode & 0o700) !== 0o700) await chmod(path, 0o755);
  if (stat?.isFile() === true && (mode & 0o600) !== 0o600) await chmod(path, 0o644);
}

/** Where what a turn left stands: a folder that holds `outbox/` and `status.json`. */
export async function leftByTurn(home: string, turn: number): Promise<string> {
  const kept = join(home, KEPT_FOLDER, String(turn));
  return (await look(join(kept, OUTBOX_FOLDER)))?.isDirectory() === true ? kept : home;
}

/** Writes a file of the home that the agent is to read only. */
export async function writeReadOnly(home: string, path: string, text: string): Promise<void> {
  const file = join(home, path);
  if ((await look(file))?.isDirectory() === true) await rm(file, { recursive: true });
  await replaceFile(file, text);
  await chmod(file, 0o444);
}

/** Makes a folder, in place of whatever else stands there (H2). */
async function ensureFolder(path: string): Promise<void> {
  const stat = await look(path);
  if (stat?.isDirectory() === true) return;
  if (stat !== undefined) await rm(path);
  await mkdir(path, { recursive: true });
}

async function keepTurnBefore(home: string): Promise<void> {
  const turns = (await readdir(join(home, KEPT_FOLDER))).filter((name) => /^\d+$/.test(name)).map(Number);
  if (turns.length > 0) await keepTurn(home, Math.max(...turns));
}

/** Moves the outbox of a turn to `kept/<turn>/`, and copies its status.json there, unless that has been done. */
export async function keepTurn(home: string, turn: number): Promise<void> {
  const kept = join(home, KEPT_FOLDER, String(turn));
  const outbox = join(home, OUTBOX_FOLDER);
  if (existsSync(join(kept, OUTBOX_FOLDER))) return;
  // What is no folder holds nothing; ensureFolder removes it.
  if ((await look(outbox))?.isDirectory() !== true) return;
  await mkdir(kept, { recursive: true });
  const status = await look(join(home, STATUS_FILE));
  if (status?.isFile() === true && status.size <= FILE_BYTES_MAX)
    await copyRegular({ root: home, path: STATUS_FILE }, { root: kept, path: STATUS_FILE });
  await rename(outbox, join(kept, OUTBOX_FOLDER));
}

/**
 * The text of SKILL.md: that of the skill that the agent works by, its role's own before the one that cfa ships; else the role's system
 * prompt, else a line that says that there is none.
 */
export async function skillText(
  { agent, skill }: TurnFacts,
  roleDirectory: string | undefined,
): Promise<string> {
  const own =
    roleDirectory === undefined || skill === null
      ? []
      : [join(roleDirectory, "skills", skill.name, SKILL_FILE)];
  const shipped = skill?.file == null ? [] : [skill.file];
  const system = roleDirectory === undefined ? [] : [join(roleDirectory, "SYSTEM.md")];
  const file = [...own, ...shipped, ...system].find((path) => existsSync(path));
  return file === undefined
    ? `# ${agent}\n\nNo skill was given: work as the instructions say.\n`
    : readFile(file, "utf8");
}
