/**
 * What a file-based agent delivers: the outbox of a turn that says that it is completed (docs/files.md, "The outbox").
 *
 * D1. Required are summary.md, every file of `outputs` and `collect`, and where these name nothing, one more file of any name.
 * D2. A link or a device is no file: nothing that is required may be one, others are left out with a remark.
 * D3. Only what `collect` names is copied into the worktree, and only when nothing is missing.
 */
import { join } from "node:path";
import { PathRefused } from "../../runtime/workspaces/port.ts";
import { lookWithin, openRegular } from "../../runtime/workspaces/safe-path.ts";
import { copyRegular, listRegular, type Listing, LISTED_MAX } from "./copy.ts";
import { ERROR_REPORT_FILE, OPTIONAL_FILES, OUTBOX_FOLDER, PARTIAL_FOLDER, SUMMARY_FILE } from "./layout.ts";

/** What an agent has to deliver. */
export type Demand = {
  /** Files or folders of the outbox, as paths in it. */
  readonly outputs: readonly string[];
  /** From paths in the outbox to paths in the worktree: files, or folders with all that is in them. */
  readonly collect: Readonly<Record<string, string>>;
};

/** Everything that the outbox must hold beside the summary, each once. */
export function requiredOf({ outputs, collect }: Demand): readonly string[] {
  return [...new Set([...outputs, ...Object.keys(collect)])];
}

/** A delivery: what is missing, as phrases; what was left out, as sentences. */
export type Delivery = { readonly missing: readonly string[]; readonly remarks: readonly string[] };

/** Longest summary or report that is read, bytes; of a longer one the beginning, with a remark. */
export const TEXT_BYTES = 32 * 1024;

const NO_DELIVERABLES: readonly string[] = [SUMMARY_FILE, ERROR_REPORT_FILE, ...OPTIONAL_FILES];

/** Looks at the outbox of the home (D1, D2). */
export async function inspectDelivery(home: string, demand: Demand): Promise<Delivery> {
  const listing = await listRegular(home, OUTBOX_FOLDER);
  const required = requiredOf(demand);
  const missing = required.flatMap((path) => missingFrom(path, listing));
  const summary = listing.files.includes(SUMMARY_FILE) ? [] : [whyMissing(SUMMARY_FILE, listing)];
  const hasWork = listing.files.some(isDeliverable);
  const anything =
    required.length > 0 || hasWork ? [] : [`a deliverable: ${OUTBOX_FOLDER}/ holds nothing but remarks`];
  const others = listing.others.map((path) => `${OUTBOX_FOLDER}/${path} is no regular file and is left out`);
  const cut = listing.cut
    ? [`${OUTBOX_FOLDER}/ holds more than ${LISTED_MAX} entries: the rest is left out`]
    : [];
  return { missing: [...missing, ...anything, ...summary], remarks: [...others.slice(0, 10), ...cut] };
}

function isDeliverable(path: string): boolean {
  return !NO_DELIVERABLES.includes(path) && !path.startsWith(`${PARTIAL_FOLDER}/`);
}

function missingFrom(path: string, listing: Listing): readonly string[] {
  const isThere = listing.files.some((file) => file === path || file.startsWith(`${path}/`));
  return isThere ? [] : [whyMissing(path, listing)];
}

function whyMissing(path: string, { others }: Listing): string {
  const name = `${OUTBOX_FOLDER}/${path}`;
  return others.includes(path) ? `${name} (it is no regular file; links are not followed)` : name;
}

/** Copies what `collect` names into the worktree (D3). Throws PathRefused with a sentence where it cannot stand there. */
export async function collectInto(worktree: string, home: string, collect: Demand["collect"]): Promise<void> {
  for (const [from, to] of Object.entries(collect)) {
    const path = `${OUTBOX_FOLDER}/${from}`;
    const isFile = (await lookWithin(home, path))?.isFile() === true;
    const { files } = isFile ? { files: [""] } : await listRegular(home, path);
    for (const file of files) {
      const at = (base: string): string => (file === "" ? base : `${base}/${file}`);
      await copyRegular({ root: home, path: at(path) }, { root: worktree, path: at(to) });
    }
  }
}

/** The text of a file of the outbox, bounded; empty where there is no regular file. */
export async function outboxText(home: string, name: string): Promise<string> {
  try {
    const opened = await openRegular(home, `${OUTBOX_FOLDER}/${name}`);
    if (opened === undefined) return "";
    await using file = opened;
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_BYTES), 0, TEXT_BYTES, 0);
    const text = buffer.toString("utf8", 0, bytesRead).trim();
    if (size <= TEXT_BYTES) return text;
    return `${text}\n[cut: ${join(OUTBOX_FOLDER, name)} has ${size} bytes]`;
  } catch (error) {
    if (error instanceof PathRefused) return "";
    throw error;
  }
}
