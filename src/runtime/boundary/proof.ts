/**
 * The proof of a boundary: canaries outside the workspace are really looked for from inside, before anything is sparked there
 * (CfA §10, "sandbox boundary verified at [spark]").
 *
 * P1. Canaries stand above the root and in a sibling. From inside they are read by their path, through a symbolic link, a hard
 *     link, and below the roots and working directories of all processes in /proc.
 *     Beside them it is tried to write; what arrives there has left the workspace (inside, the same path may be in a private /tmp).
 * P2. A file that is listed must be readable at the same time, and the workspace writable: a proof in which nothing works at all
 *     proves nothing.
 * P3. Nothing is left behind, and nothing is written into the workspace: canaries go, whatever came of the proof; one that a kill has
 *     left goes when the job is resumed, as everything beside the trees does that no thread owns.
 */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isErrno } from "../../soup/errno.ts";
import { type ProgramEnd, type ProgramResult, runProgram } from "../process/run-program.ts";
import { type Boundary, seen, type Space } from "./port.ts";

/** A boundary does not hold, or could not be tried. The message is one sentence. */
export class Unproven extends Error {
  override readonly name = "Unproven";
}

/**
 * Reads its arguments (canaries) in every way of P1 and prints each path that could be read. `$1` is the file that must be readable.
 * `read` is part of the shell: no program is started but `ln`, for the first canary.
 */
const SCRIPT = `
try() { { read -r got <"$1"; } 2>/dev/null && printf 'reached %s\\n' "$1"; }
{ read -r got <"$1"; } 2>/dev/null && printf 'control %s\\n' "$got"
[ -w . ] || echo unwritable
shift
n=0
for canary; do
  n=$((n + 1))
  try "$canary"
  [ $n -gt 1 ] || ln -s "$canary" /tmp/link 2>/dev/null && try /tmp/link
  [ $n -gt 1 ] || ln "$canary" /tmp/hard 2>/dev/null && try /tmp/hard
  for process in /proc/[0-9]* /proc/self; do
    try "$process/root$canary"
    try "$process/cwd/../$canary"
    try "$process/cwd/../\${canary##*/}"
  done
  { echo planted >"$canary.planted"; } 2>/dev/null
done
exit 0
`;

const PROOF_MILLIS = 30_000;

/** Where one proof puts what it needs. */
type Stage = {
  readonly id: string;
  readonly canaries: readonly string[];
  readonly sibling: string;
  /** Folder that is let in. */
  readonly listed: string;
  /** Everything that goes afterwards. */
  readonly all: readonly string[];
};

/** Settles when the boundary holds around the space. Rejects with {@link Unproven} when it does not (P1, P2). */
export async function prove(boundary: Boundary, space: Space): Promise<void> {
  const stage = stageFor(space);
  try {
    await mkdir(stage.listed, { recursive: true });
    await Promise.all([
      ...stage.canaries.map((path) => writeFile(path, "canary\n")),
      writeFile(join(stage.listed, "control"), `${stage.id}\n`),
    ]);
    judge(await look(boundary, space, stage), space, stage, await plantedAt(stage.canaries));
  } finally {
    await Promise.all(stage.all.map((path) => rm(path, { recursive: true, force: true })));
  }
}

function stageFor({ workspace }: Space): Stage {
  const id = randomUUID();
  const above = dirname(workspace);
  const sibling = join(above, `sibling-${id}`);
  const listed = join(sibling, "listed");
  const canaries = [join(above, `canary-${id}`), join(sibling, `canary-${id}`)];
  return {
    id,
    canaries,
    sibling,
    listed,
    all: [sibling, ...canaries, ...canaries.map(plantedBeside)],
  };
}

const plantedBeside = (canary: string): string => `${canary}.planted`;

async function look(boundary: Boundary, space: Space, { listed, canaries }: Stage): Promise<ProgramResult> {
  const request = {
    run: ["/bin/sh", "-c", SCRIPT, "cfa-proof", join(listed, "control"), ...canaries],
    cwd: space.workspace,
    env: { PATH: "/usr/bin:/bin", PWD: space.workspace },
    input: "",
    sockets: true,
    stream: join(listed, "stream"),
    timeout: PROOF_MILLIS,
    stopSignals: [],
    grace: 0,
    signal: new AbortController().signal,
    onStart: () => undefined,
    onLine: () => undefined,
  };
  return runProgram(request, await boundary.around({ ...space, mounts: [...space.mounts, seen(listed)] }));
}

function judge({ text, end }: ProgramResult, space: Space, { id }: Stage, written: string | undefined): void {
  const { workspace } = space;
  const lines = text.split("\n");
  const reached = /^reached (.*)$/m.exec(text)?.[1] ?? written;
  if (reached !== undefined) throw new Unproven(holdsNot(space, reached));
  if (end.kind !== "exit" || end.status !== 0 || !lines.includes(`control ${id}`)) {
    const why = whyUntried(end, text);
    throw new Unproven(`the boundary of ${workspace} could not be proven (cfa doctor tries it out): ${why}`);
  }
  if (lines.includes("unwritable"))
    throw new Unproven(`the workspace ${workspace} cannot be written from inside its boundary`);
}

async function plantedAt(canaries: readonly string[]): Promise<string | undefined> {
  for (const canary of canaries) {
    if (await stands(plantedBeside(canary))) return canary;
  }
  return undefined;
}

/** Whether anything stands there, a link that leads nowhere included; what cannot be looked at proves nothing, and rejects. */
async function stands(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isErrno(error, "ENOENT")) return false;
    throw error;
  }
}

function holdsNot({ workspace, mounts }: Space, reached: string): string {
  const wide = mounts.find(
    (mount) => mount.kind === "bind" && `${dirname(workspace)}/`.startsWith(`${mount.at}/`),
  );
  const cause =
    wide === undefined
      ? ""
      : `: ${wide.at} is let in (sandbox.exempt, or a file of the role's run) and holds the workspaces`;
  return `the boundary of the workspace ${workspace} does not hold: ${reached} outside it could be reached from inside${cause}`;
}

function whyUntried(end: ProgramEnd, text: string): string {
  if (end.kind === "unstarted") return end.why;
  if (end.kind === "exit")
    return `the trial ended with status ${end.status}, having said ${JSON.stringify(text.slice(0, 80))}`;
  return `the trial ended by ${end.kind}`;
}
