/**
 * The inbox of a file-based agent: instructions.md and the files that it is given (docs/files.md, "The inbox").
 *
 * N1. Files are copied, read-only, under the path that they have in the worktree; the originals stay where they are.
 * N2. What is larger than the inline limit, or has a name that the protocol takes, is named by its absolute path instead.
 * N3. The inbox is never cleared within a conversation: a turn that is tried again finds what the first one was given.
 */
import { join } from "node:path";
import type { TurnRequest } from "../../runtime/agents/port.ts";
import { placeOf } from "../../runtime/dependencies/place.ts";
import { lookWithin } from "../../runtime/workspaces/safe-path.ts";
import { copyRegular, listRegular } from "./copy.ts";
import { type Input, type Instructed, instructionsText } from "./instructions.ts";
import { DEPENDENCIES_FILE, INBOX_FOLDER, INSTRUCTIONS_FILE } from "./layout.ts";
import { writeReadOnly } from "./home.ts";

/** What the instructions need that the request does not hold. */
export type InboxOptions = Pick<Instructed, "required" | "collect"> & {
  /** Bytes (N2). */
  readonly inlineLimit: number;
};

const PROTOCOL_FILES: readonly string[] = [INSTRUCTIONS_FILE, DEPENDENCIES_FILE];
/** Most files of earlier turns that the instructions name. */
const EARLIER_MAX = 200;

/** Fills the inbox for a turn; returns the text of instructions.md. */
export async function fillInbox(
  home: string,
  request: TurnRequest,
  { inlineLimit, ...demanded }: InboxOptions,
): Promise<string> {
  const given = await giveFiles(home, request, inlineLimit);
  const inputs = [...given, ...(await earlierFiles(home, given, originOf(request)))];
  const text = instructionsText({ ...instructedBy(request), ...demanded, inputs });
  await writeReadOnly(home, join(INBOX_FOLDER, INSTRUCTIONS_FILE), text);
  return text;
}

function instructedBy({ facts, message, prompt, workspace, timeout }: TurnRequest) {
  const { agent, job, state, thread, turn, skill } = facts;
  const at = prompt.indexOf(message.body);
  const [from, remarks] =
    at < 0 ? ["", prompt] : [prompt.slice(0, at).trim(), prompt.slice(at + message.body.length).trim()];
  const named = { agent, job, state, thread, turn, skill: skill?.name ?? null };
  return { body: message.body, from, remarks, worktree: workspace, timeout, ...named };
}

/** The files of the message and the artifacts of the job, each where the agent finds it (N1, N2). */
async function giveFiles(
  home: string,
  { workspace, files = [], artifacts }: TurnRequest,
  inlineLimit: number,
): Promise<readonly Input[]> {
  const wanted = new Map<string, string>();
  for (const path of files) wanted.set(path, "sent with the message");
  for (const [key, path] of Object.entries(artifacts))
    if (!wanted.has(path)) wanted.set(path, `the ${key} of the job`);
  const inputs: Input[] = [];
  for (const [path, about] of wanted) {
    const stat = await lookWithin(workspace, path);
    if (stat?.isFile() !== true) continue;
    const inPlace = (why: string) => ({ path: join(workspace, path), about: `${about}; ${why}` });
    if (stat.size > inlineLimit) inputs.push(inPlace(`${stat.size} bytes, not copied: read it there`));
    else if (PROTOCOL_FILES.includes(path))
      inputs.push(inPlace("its name is taken in the inbox: read it there"));
    else {
      await replaceCopy(home, workspace, path);
      inputs.push({ path: `${INBOX_FOLDER}/${path}`, about });
    }
  }
  return inputs;
}

async function replaceCopy(home: string, workspace: string, path: string): Promise<void> {
  await copyRegular({ root: workspace, path }, { root: home, path: `${INBOX_FOLDER}/${path}` }, 0o444);
}

/** What else lies in the inbox (N3). */
async function earlierFiles(
  home: string,
  given: readonly Input[],
  aboutOf: (path: string) => string,
): Promise<readonly Input[]> {
  const known = new Set(given.map(({ path }) => path));
  const { files } = await listRegular(home, INBOX_FOLDER);
  return files
    .filter((path) => !PROTOCOL_FILES.includes(path))
    .map((path) => `${INBOX_FOLDER}/${path}`)
    .filter((path) => !known.has(path))
    .slice(0, EARLIER_MAX)
    .map((path) => ({ path, about: aboutOf(path) }));
}

/** Where a file of the inbox comes from that has not come with the message: from an agent on which this one depends, or with an earlier one. */
function originOf({ beside }: TurnRequest): (path: string) => string {
  const origins = (beside?.dependencies?.depends_on ?? []).flatMap(({ agent, outputs, copy_to }) =>
    outputs.map((output) => ({ agent, output, place: placeOf(output, copy_to) })),
  );
  return (path) => {
    const origin = origins.find(({ place }) => path === place || path.startsWith(`${place}/`));
    return origin === undefined
      ? "given earlier in this conversation"
      : `${origin.output} of ${origin.agent}`;
  };
}
