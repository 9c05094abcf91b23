/**
 * Making a call: the one way into the outbox, for the command line, for scripts and for every other channel.
 *
 * C1. A call is admitted against exactly the calls that stand before it: when another call takes its number meanwhile, it is judged
 *     again. So calls made at once never exceed the cap together.
 * C2. A file travels with the bytes that it had when the call was made; one that is not there refuses the call.
 */
import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import {
  admit,
  admitOutcome,
  type Admission,
  type Call,
  type OutcomeRecord,
  type Refused,
} from "./admission.ts";
import type { TurnFacts } from "./agents/port.ts";
import { isErrno } from "../soup/errno.ts";
import { replaceFile } from "./outbox-file.ts";
import { FILES_FOLDER } from "./outbox.ts";
import { appendCall, CALLS_MAX, readOutbox } from "./outbox-store.ts";
import { storeFile } from "./workspaces/files.ts";
import type { NamedFile } from "./workspaces/port.ts";

/** Directory and name of the outcome record in the workspace of a state's lead (CfA §4). */
export const OUTCOME_FILE = { directory: ".cfa", name: "outcome.json" } as const;

/** Admits a call and writes it into the outbox directory, or says why not. */
export async function makeCall(directory: string, facts: TurnFacts, call: Call): Promise<Admission> {
  for (;;) {
    const { entries, next } = await readOutbox(directory, facts);
    if (next > CALLS_MAX) {
      return {
        refused: `this turn has made ${CALLS_MAX} calls, which is the limit: end it and go on in the next`,
      };
    }
    const admission = admit(facts, entries, call, next);
    if ("refused" in admission) return admission;
    const files = call.verb === "send" ? await takeFiles(directory, facts, call.files) : [];
    if ("refused" in files) return files;
    const entry = admission.entry.verb === "send" ? { ...admission.entry, files } : admission.entry;
    if (await appendCall(directory, next, entry)) return { entry };
  }
}

/** Copies the files that a call names into the outbox: they travel as they are now, whatever becomes of them. */
async function takeFiles(
  directory: string,
  { workspace }: TurnFacts,
  paths: readonly string[],
): Promise<NamedFile[] | Refused> {
  const files: NamedFile[] = [];
  for (const path of paths) {
    try {
      const file = await storeFile(join(directory, FILES_FOLDER), workspace, path);
      if (file === undefined) return { refused: `there is no file ${path} in your workspace ${workspace}` };
      files.push(file);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { refused: `the file was not sent: ${error.message}` };
    }
  }
  return files;
}

/**
 * Admits an outcome and writes its record `.cfa/outcome.json` at the top of the workspace, in place of an earlier one.
 * Never follows a link: neither that name nor `.cfa` leads elsewhere.
 */
export async function makeOutcome(
  facts: TurnFacts,
  outcome: string,
  reason: string,
): Promise<{ readonly record: OutcomeRecord } | Refused> {
  const admission = admitOutcome(facts, outcome, reason);
  if ("refused" in admission) return admission;
  const directory = join(facts.workspace, OUTCOME_FILE.directory);
  if (!(await isOwnDirectory(directory))) {
    return { refused: `${directory} is no directory: remove it, the outcome record goes there` };
  }
  await replaceFile(join(directory, OUTCOME_FILE.name), `${JSON.stringify(admission.record)}\n`);
  return admission;
}

async function isOwnDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (!isErrno(error, "EEXIST")) throw error;
    return (await lstat(path)).isDirectory();
  }
}
