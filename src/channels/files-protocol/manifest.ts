/**
 * What an agent starts with of its siblings: copies of their outputs, and `inbox/dependencies.json` (docs/files-dependencies.md).
 *
 * M1. Outputs are those of the turn in which the sibling has completed, whatever it does by now. Only regular files are copied, no link
 *     is followed (copy.ts).
 * M2. An output that is not there whole fails the turn with a sentence that names it. Of a sibling that was skipped nothing is copied.
 * M3. Done again it comes to the same.
 */
import { join } from "node:path";
import type { Dependencies } from "../../runtime/dependencies/readiness.ts";
import { placeOf } from "../../runtime/dependencies/place.ts";
import { PathRefused } from "../../runtime/workspaces/port.ts";
import { lookWithin } from "../../runtime/workspaces/safe-path.ts";
import { copyRegular, listRegular, LISTED_MAX, type Spot } from "./copy.ts";
import { leftByTurn, writeReadOnly } from "./home.ts";
import { DEPENDENCIES_FILE, filesHome, INBOX_FOLDER } from "./layout.ts";

/** The text of the manifest: what the agent declares, and what came of each that it names. */
export function manifestOf({ depends_on, wait_for, settled }: Dependencies): string {
  const states = Object.fromEntries(settled.map(({ agent, standing }) => [agent, standing]));
  return `${JSON.stringify({ depends_on, wait_for, states }, null, 2)}\n`;
}

/**
 * Copies the outputs into the home `home` and writes the manifest; nothing of an agent that needs nobody. Returns why the turn cannot
 * begin, one sentence (M2). `jobDirectory` is `.cfa/jobs/<id>`.
 */
export async function placeDependencies(
  jobDirectory: string,
  home: string,
  dependencies: Dependencies | undefined,
): Promise<string | undefined> {
  if (dependencies === undefined) return undefined;
  for (const { agent, outputs, copy_to } of dependencies.depends_on) {
    const settled = dependencies.settled.find((one) => one.agent === agent);
    if (settled?.standing !== "completed") continue;
    const left = await leftByTurn(filesHome(jobDirectory, settled.thread), settled.turn);
    for (const output of outputs) {
      const from = { root: left, path: output.replace(/\/$/u, "") };
      const failure = await copyOutput(from, { root: home, path: placeOf(output, copy_to) });
      if (failure !== undefined) return `it needs ${output} of ${agent}, and ${failure}`;
    }
  }
  await writeReadOnly(home, join(INBOX_FOLDER, DEPENDENCIES_FILE), manifestOf(dependencies));
  return undefined;
}

/** Copies a file, or everything in a folder. Returns what is in the way, as the end of a sentence. */
async function copyOutput(from: Spot, to: Spot): Promise<string | undefined> {
  try {
    if ((await lookWithin(from.root, from.path))?.isDirectory() !== true)
      return (await copyRegular(from, to, 0o444)) ? undefined : "there is no such file";
    const { files, others, cut } = await listRegular(from.root, from.path);
    if (cut) return `it holds more than ${LISTED_MAX} entries`;
    const [other] = others;
    if (other !== undefined) return `${other} in it is no regular file; links are not followed`;
    for (const file of files) {
      const below = ({ root, path }: Spot): Spot => ({ root, path: `${path}/${file}` });
      await copyRegular(below(from), below(to), 0o444);
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    return error.message.replace(/\.$/u, "");
  }
}
