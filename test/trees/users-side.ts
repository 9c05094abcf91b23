/**
 * The user's side of a repository, byte for byte: everything under `.git` but what cfa may write there, and the files of the
 * worktree.
 *
 * U1. Left out are objects, `refs/cfa`, the branches `cfa/…` with their logs, worktrees that cfa has made, and `.cfa`.
 */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const OURS = [
  ".cfa",
  ".git/objects",
  ".git/refs/cfa",
  ".git/refs/heads/cfa",
  ".git/logs/refs/heads/cfa",
  ".git/worktrees",
];

/** Path, mode and hash of everything that is the user's; `apart` names more that is left out. */
export function usersSide(top: string, apart: readonly string[] = []): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = (path: Buffer): void => {
    for (const name of readdirSync(at(top, path), { encoding: "buffer" })) {
      const below = path.length === 0 ? name : Buffer.concat([path, Buffer.from("/"), name]);
      const shown = below.toString("latin1");
      if (OURS.includes(shown) || apart.includes(shown)) continue;
      const full = at(top, below);
      const stat = lstatSync(full);
      if (stat.isDirectory()) visit(below);
      else if (stat.isSymbolicLink()) found[shown] = `link to ${readlinkSync(full, "latin1")}`;
      else if (stat.isFile()) found[shown] = `${stat.mode.toString(8)} ${hash(readFileSync(full))}`;
      else found[shown] = "special";
    }
  };
  visit(Buffer.alloc(0));
  return found;
}

const at = (top: string, path: Buffer): Buffer => Buffer.concat([Buffer.from(join(top, "/")), path]);
const hash = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
