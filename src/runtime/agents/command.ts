/**
 * The `command` adapter: any program is an agent. It gets the prompt on standard input, the workspace as working directory, and talks
 * back with `cfa send`, `cfa ask`, `cfa close` and `cfa outcome`; what it prints is its final text.
 *
 * C1. Its environment is: PATH (cfa's, with the directory of `cfa` first, then that of its role's scripts), LANG=C.UTF-8, PWD,
 *     CFA_ROLE_DIR where it has a role, the CFA_* variables of {@link turnVariables}, and the variables of cfa's own environment that the role names. Nothing else, HOME neither.
 * C2. It succeeds with exit status 0 and with nothing else. Its text is never interpreted.
 * C3. All turns of a thread see the same CFA_SESSION.
 * C4. A boundary is drawn anew around each turn: workspace and outbox can be written, history and the files of `run` read (docs/boundary.md).
 *     HOME, where the role names it, is an empty folder inside.
 * C5. CFA_MCP names a configuration with which a client of MCP starts the tools of the turn (docs/mcp.md).
 */
import { createHash } from "node:crypto";
import { delimiter, join } from "node:path";
import { constants } from "node:os";
import { invariant } from "../../soup/invariant.ts";
import { advisory } from "../boundary/advisory.ts";
import { type Boundary, type Mount, type Network, open, type Space } from "../boundary/port.ts";
import { programMounts } from "../boundary/program-files.ts";
import { prove } from "../boundary/proof.ts";
import { isOfSystem } from "../boundary/system-paths.ts";
import { PROCESSES_MAX, processLimit } from "../process/process-limit.ts";
import { runProgram, type ProgramEnd } from "../process/run-program.ts";
import { MCP_FILE } from "../outbox.ts";
import { replaceFile } from "../outbox-file.ts";
import { UNKNOWN_USAGE } from "../usage.ts";
import { mcpConfiguration, programServers } from "./mcp-configuration.ts";
import {
  type AgentAdapter,
  fullPrompt,
  type Place,
  type TurnEvent,
  type TurnFacts,
  type TurnRequest,
  type TurnResult,
} from "./port.ts";

/** Where a turn runs when not in the workspace itself. The workspace stays open to it. */
export type Setting = {
  /** Working directory, absolute. */
  readonly cwd: string;
  /** What goes to standard input in place of the prompt. */
  readonly input: string;
  /** Variables beside those of the turn. */
  readonly env: Readonly<Record<string, string>>;
  /** What it sees there inside a boundary. */
  readonly mounts: readonly Mount[];
};

/** How a role runs its program. */
export type CommandOptions = {
  /** Program and arguments; what names a file is absolute, a bare name is looked up on PATH. */
  readonly run: readonly string[];
  /** Programs that it starts itself, each with its arguments: the tools of its role; seen inside like the files of `run`. */
  readonly programs?: readonly (readonly string[])[];
  /** MCP servers of its role, command lines by name: beside that of cfa in the configuration of the turn, and seen inside, too. */
  readonly servers?: Readonly<Record<string, readonly [string, ...string[]]>>;
  /** Names of variables that are passed on from cfa's own environment, where they are set. */
  readonly env: readonly string[];
  /** What goes to standard input: the message alone (unless given), or with the instructions of a first turn. */
  readonly prompt?: "message" | "full";
  /** Directory that holds an executable `cfa`. */
  readonly cfaBin: string;
  /** Directory with what its role brings: SYSTEM.md, skills/, scripts/ (docs/roles.md); absent without a role. */
  readonly roleDirectory?: string;
  /** Milliseconds that it has after each request to stop (SIGINT, then SIGTERM) before the kill; 1500 unless given. */
  readonly grace?: number;
  /** Most processes and threads at a time, where the machine can hold it to them; {@link PROCESSES_MAX} unless given. */
  readonly processes?: number;
  /** What confines it; nothing does unless given. */
  readonly boundary?: Boundary;
  /** Network inside the boundary; `none` unless given. */
  readonly network?: Network;
  /** What it sees inside the boundary besides workspace, outbox, history and the files of `run`: cfa itself, exemptions. */
  readonly mounts?: readonly Mount[];
  /** Where its turns run; in the workspace unless given. */
  readonly setting?: Setting;
};

const GRACE_MILLIS = 1500;
const COMPLAINT_CHARS = 200;

/** An agent that runs a program once a turn. */
export function commandAgent(options: CommandOptions): AgentAdapter {
  const { boundary = advisory } = options;
  return {
    boundary: boundary.kind,
    run: (request, report) => runTurn(options, boundary, request, report),
    ...(boundary.kind === "advisory"
      ? {}
      : { prove: async (place) => prove(boundary, await spaceOf(options, boundary, place)) }),
  };
}

/** What the program may reach (C4). */
async function spaceOf(
  options: CommandOptions,
  boundary: Boundary,
  { workspace, history }: Place,
): Promise<Space> {
  if (boundary.kind === "advisory") return { workspace, network: "full", mounts: [] };
  const { PATH = "", HOME } = baseEnvironment(options);
  const programs = [options.run, ...(options.programs ?? []), ...Object.values(options.servers ?? {})];
  const [files, past] = await Promise.all([
    Promise.all(programs.map((run) => programMounts(run, PATH, workspace))),
    history?.() ?? [],
  ]);
  const mounts = [
    ...(options.mounts ?? []),
    ...files.flat(),
    ...past,
    open(workspace),
    ...homeAt(HOME, workspace),
  ];
  return { workspace, network: options.network ?? "none", mounts };
}

function homeAt(home: string | undefined, workspace: string): readonly Mount[] {
  const isUsable = home !== undefined && /^\/./.test(home) && !`${home}/`.startsWith(`${workspace}/`);
  return isUsable && !isOfSystem(home) ? [{ kind: "empty", at: home.replace(/\/+$/, "") }] : [];
}

async function runTurn(
  options: CommandOptions,
  boundary: Boundary,
  request: TurnRequest,
  report: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const session = request.session ?? sessionOf(request.facts);
  const setting = options.setting ?? inWorkspace(options, request);
  const variables = { ...turnVariables(request, session), ...setting.env };
  const space = await spaceOf(options, boundary, request);
  const { end, text, complaint, problem } = await runProgram(
    {
      run: options.run,
      cwd: setting.cwd,
      env: {
        ...baseEnvironment(options),
        PWD: setting.cwd,
        ...variables,
        CFA_MCP: await configureTools(options, request, variables),
      },
      input: setting.input,
      stream: request.stream,
      timeout: request.timeout,
      stopSignals: ["SIGINT", "SIGTERM"],
      grace: options.grace ?? GRACE_MILLIS,
      signal: request.signal,
      processes: { limit: await processLimit(), most: options.processes ?? PROCESSES_MAX },
      onStart: ({ pid, started }) => report({ kind: "started", pid, started: started || null }),
      onLine: (line) => report({ kind: "line", text: line }),
    },
    await boundary.around({
      ...space,
      workspace: setting.cwd,
      mounts: [...space.mounts, open(request.outbox), ...setting.mounts],
    }),
  );
  const result = { text, session, usage: UNKNOWN_USAGE, ...(problem === undefined ? {} : { problem }) };
  if (end.kind === "aborted") return { stop: "aborted", ...result };
  const failure = failureOf(end, options.run[0] ?? "", request.timeout, complaint);
  return failure === undefined ? { stop: "ended", ...result } : { stop: "failed", failure, ...result };
}

function inWorkspace({ prompt }: CommandOptions, request: TurnRequest): Setting {
  const input = prompt === "full" ? fullPrompt(request) : request.prompt;
  return { cwd: request.workspace, input, env: {}, mounts: [] };
}

/** Writes the MCP configuration of the turn (C5); returns its path. */
async function configureTools(
  options: CommandOptions,
  { outbox }: TurnRequest,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const file = join(outbox, MCP_FILE);
  // The variables that the role names may be secret, and stay out of files.
  const env = { ...baseEnvironment({ ...options, env: [] }), ...variables };
  const cfa = join(options.cfaBin, "cfa");
  const all = mcpConfiguration({ cfa, env }, programServers(options.servers ?? {}));
  invariant("mcpServers" in all, "no role has a server of cfa's name");
  await replaceFile(file, `${JSON.stringify(all, null, 2)}\n`);
  return file;
}

/** The part of the environment that is the same in all turns (C1). */
function baseEnvironment({ env, cfaBin, roleDirectory }: CommandOptions): Record<string, string> {
  const passed = env.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const scripts = roleDirectory === undefined ? [] : [join(roleDirectory, "scripts")];
  const path = [cfaBin, ...scripts, process.env["PATH"] ?? "/usr/bin:/bin"].join(delimiter);
  const role = roleDirectory === undefined ? {} : { CFA_ROLE_DIR: roleDirectory };
  return { LANG: "C.UTF-8", ...Object.fromEntries(passed), PATH: path, ...role };
}

/** Names of all variables that {@link turnVariables} may set. */
export const TURN_VARIABLES: readonly string[] = [
  "CFA_JOB",
  "CFA_THREAD",
  "CFA_TURN",
  "CFA_SESSION",
  "CFA_STATE",
  "CFA_ENTRY",
  "CFA_AGENT",
  "CFA_PARENT_AGENT",
  "CFA_PARENT_THREAD",
  "CFA_OUTBOX",
  "CFA_WORKSPACE",
  "CFA_ARTIFACTS",
  "CFA_SKILL",
];

/** The variables that tell a program about its turn. */
export function turnVariables(request: TurnRequest, session: string): Readonly<Record<string, string>> {
  const { facts, entry, outbox, artifacts, workspace } = request;
  const parent =
    facts.parent === null
      ? {}
      : { CFA_PARENT_AGENT: facts.parent.agent, CFA_PARENT_THREAD: facts.parent.thread };
  return {
    CFA_JOB: facts.job,
    CFA_THREAD: facts.thread,
    CFA_TURN: String(facts.turn),
    CFA_SESSION: session,
    CFA_STATE: facts.state,
    CFA_ENTRY: entry,
    CFA_AGENT: facts.agent,
    ...parent,
    CFA_OUTBOX: outbox,
    CFA_WORKSPACE: workspace,
    CFA_ARTIFACTS: JSON.stringify(artifacts),
    ...(facts.skill?.file == null ? {} : { CFA_SKILL: facts.skill.file }),
  };
}

/** A session handle in the form of a UUID (version 8), the same for all turns of a thread (C4). */
export function sessionOf({ job, thread }: TurnFacts): string {
  const hex = createHash("sha256").update(`${job}\n${thread}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

function failureOf(
  end: Exclude<ProgramEnd, { kind: "aborted" }>,
  program: string,
  timeout: number,
  complaint: string,
): string | undefined {
  const said = complaint === "" ? "" : `: ${complaint.slice(0, COMPLAINT_CHARS)}`;
  switch (end.kind) {
    case "unstarted":
      return end.why;
    case "timeout":
      return `${program} ran longer than its time-out of ${timeout / 1000} s and was stopped${said}`;
    case "exit":
      return end.status === 0
        ? undefined
        : `${program} ended with exit status ${end.status}${signalName(end.status)}${said}`;
  }
}

function signalName(status: number): string {
  const name = Object.entries(constants.signals).find(([, number]) => number + 128 === status)?.[0];
  return name === undefined ? "" : ` (${name})`;
}
