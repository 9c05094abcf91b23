/**
 * The `command` adapter: any program is an agent. It gets the prompt on standard input, the workspace as working directory, and talks
 * back with `cfa send`, `cfa ask`, `cfa close` and `cfa outcome`; what it prints is its final text.
 *
 * C1. Its environment is: PATH (cfa's, with the directory of `cfa` first), LANG=C.UTF-8, PWD, the CFA_* variables of
 *     {@link turnVariables}, and the variables of cfa's own environment that the role names. Nothing else, HOME neither.
 * C2. It succeeds with exit status 0 and with nothing else. Its text is never interpreted.
 * C3. CFA_MCP names a configuration with which a client of MCP starts the tools of the turn (docs/mcp.md).
 * C4. All turns of a thread see the same CFA_SESSION.
 */
import { createHash } from "node:crypto";
import { delimiter, join } from "node:path";
import { constants } from "node:os";
import { processIsolation, type ProcessIsolation } from "../process/isolation.ts";
import { runProgram, type ProgramEnd } from "../process/run-program.ts";
import { MCP_FILE } from "../outbox.ts";
import { replaceFile } from "../outbox-file.ts";
import { UNKNOWN_USAGE } from "../usage.ts";
import { mcpConfiguration } from "./mcp-configuration.ts";
import {
  type AgentAdapter,
  fullPrompt,
  type TurnEvent,
  type TurnFacts,
  type TurnRequest,
  type TurnResult,
} from "./port.ts";

/** How a role runs its program. */
export type CommandOptions = {
  /** Program and arguments; what names a file is absolute, a bare name is looked up on PATH. */
  readonly run: readonly string[];
  /** Names of variables that are passed on from cfa's own environment, where they are set. */
  readonly env: readonly string[];
  /** What goes to standard input: the message alone (unless given), or with the instructions of a first turn. */
  readonly prompt?: "message" | "full";
  /** Directory that holds an executable `cfa`. */
  readonly cfaBin: string;
  /** Milliseconds between the request to stop (SIGTERM) and the kill; 3000 unless given. */
  readonly grace?: number;
  /** How its processes are held together; what the machine offers unless given. */
  readonly isolation?: ProcessIsolation;
};

const GRACE_MILLIS = 3000;
const COMPLAINT_CHARS = 200;

/** An agent that runs a program once a turn. */
export function commandAgent(options: CommandOptions): AgentAdapter {
  return {
    boundary: "advisory",
    run: (request, report) => runTurn(options, request, report),
  };
}

async function runTurn(
  options: CommandOptions,
  request: TurnRequest,
  report: (event: TurnEvent) => void,
): Promise<TurnResult> {
  const session = request.session ?? sessionOf(request.facts);
  const variables = turnVariables(request, session);
  const { end, text, complaint, problem } = await runProgram(
    {
      run: options.run,
      cwd: request.workspace,
      env: {
        ...baseEnvironment(options),
        PWD: request.workspace,
        ...variables,
        CFA_MCP: await configureTools(options, request, variables),
      },
      input: options.prompt === "full" ? fullPrompt(request) : request.prompt,
      stream: request.stream,
      timeout: request.timeout,
      stopSignals: ["SIGTERM"],
      grace: options.grace ?? GRACE_MILLIS,
      signal: request.signal,
      onStart: ({ pid, started }) => report({ kind: "started", pid, started: started || null }),
      onLine: (line) => report({ kind: "line", text: line }),
    },
    options.isolation ?? (await processIsolation()),
  );
  const result = { text, session, usage: UNKNOWN_USAGE, ...(problem === undefined ? {} : { problem }) };
  if (end.kind === "aborted") return { stop: "aborted", ...result };
  const failure = failureOf(end, options.run[0] ?? "", request.timeout, complaint);
  return failure === undefined ? { stop: "ended", ...result } : { stop: "failed", failure, ...result };
}

/** Writes the MCP configuration of the turn (C3); returns its path. */
async function configureTools(
  options: CommandOptions,
  { outbox }: TurnRequest,
  variables: Readonly<Record<string, string>>,
): Promise<string> {
  const file = join(outbox, MCP_FILE);
  // The variables that the role names may be secret, and stay out of files.
  const env = { ...baseEnvironment({ ...options, env: [] }), ...variables };
  const cfa = join(options.cfaBin, "cfa");
  await replaceFile(file, `${JSON.stringify(mcpConfiguration({ cfa, env }), null, 2)}\n`);
  return file;
}

/** The part of the environment that is the same in all turns (C1). */
function baseEnvironment({ env, cfaBin }: CommandOptions): Record<string, string> {
  const passed = env.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const path = [cfaBin, process.env["PATH"] ?? "/usr/bin:/bin"].join(delimiter);
  return { LANG: "C.UTF-8", ...Object.fromEntries(passed), PATH: path };
}

/** The variables that tell a program about its turn. */
export function turnVariables(request: TurnRequest, session: string): Readonly<Record<string, string>> {
  const { facts, entry, outbox, artifacts } = request;
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
