/**
 * Trees that are put back before anybody works in them: those of turns that a crash has cut off, and those that were damaged.
 *
 * P1. What the cut-off turn had left is kept under its label; what its status file said is found before the tree goes back.
 * P2. A tree that cannot be put back says so in its next turn, which fails; the job goes on.
 */
import { join } from "node:path";
import type { ThreadId } from "../soup/message.ts";
import type { Run } from "../soup/molecule.ts";
import type { Director } from "./director.ts";
import { loggedTree } from "./held.ts";
import type { Ledger } from "./ledger.ts";
import { clearStatus, readStatus, type StatusToken } from "./status-file.ts";
import { setAside } from "./turn-files.ts";
import { TreeBroken, type Workspaces } from "./workspaces/port.ts";

/** What a turn that a crash has lost had signalled by its status file. */
export type LostStatus = { readonly thread: ThreadId; readonly turn: number; readonly status: StatusToken };

/** Where the trees are and who works in which. */
type Place = { readonly workspaces: Workspaces; readonly director: Director };

/** Puts the trees of lost turns back (P1); returns what the turns had signalled. */
export async function putBack(
  lost: readonly Run[],
  ledger: Ledger,
  { workspaces, director, directories }: Place & { readonly directories: { readonly turns: string } },
): Promise<readonly LostStatus[]> {
  const signalled: LostStatus[] = [];
  for (const { thread, turn } of lost) {
    const tree = director.treeOf(thread);
    if (thread === ledger.root) continue;
    const { serial } = ledger.thread(thread);
    const outbox = join(directories.turns, String(serial), String(turn));
    const hadBegun = await setAside(outbox, workspaces.path(tree));
    const status = hadBegun ? await readStatus(workspaces.path(tree), director.statusVersion()) : undefined;
    if (status !== undefined && "token" in status) signalled.push({ thread, turn, status: status.token });
    await mendTree(workspaces, ledger, tree, `${serial}.${turn}`);
    const back = workspaces.restore(tree, ledger.snapshots.get(tree) ?? null, `${serial}.${turn}`);
    await back.catch(unlessBroken);
  }
  return signalled;
}

/** Removes the status files of lost turns. */
export async function forgetStatus(
  signalled: readonly LostStatus[],
  { workspaces, director }: Place,
): Promise<void> {
  for (const { thread } of signalled) await clearStatus(workspaces.path(director.treeOf(thread)));
}

/** Puts a tree back that somebody has damaged (P2); what it held is kept under the label. */
export async function mendTree(
  workspaces: Workspaces,
  ledger: Ledger,
  tree: ThreadId,
  label: string,
): Promise<void> {
  await workspaces.mend(tree, loggedTree(ledger, tree), label).catch(unlessBroken);
}

function unlessBroken(error: unknown): void {
  if (!(error instanceof TreeBroken)) throw error;
}
