/** A turn on disk, as cfa lays it out before an agent starts, and its tool server as a process. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { serveTools } from "../../../src/channels/mcp/serve.ts";
import type { TurnFacts } from "../../../src/runtime/agents/port.ts";
import { writeTurnFacts } from "../../../src/runtime/outbox-facts.ts";
import type { OutboxEntry } from "../../../src/runtime/outbox.ts";
import { readOutbox } from "../../../src/runtime/outbox-store.ts";
import { PLAIN_TURN } from "../../runtime/plain-turn.ts";

/** The compiled command line. */
export const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

const made: string[] = [];
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A turn on disk. */
export type TurnPlace = {
  readonly home: string;
  readonly work: string;
  readonly outbox: string;
  readonly facts: TurnFacts;
  readonly env: Readonly<Record<string, string>>;
  readonly entries: () => Promise<readonly OutboxEntry[]>;
};

/** Makes a turn of the lead of PLAN, below `home` or in a directory that goes when the test ends. */
export async function makeTurn(
  facts: Partial<TurnFacts> = {},
  home: string = temporary(),
): Promise<TurnPlace> {
  const work = join(home, "work");
  const outbox = join(home, "out");
  mkdirSync(work);
  mkdirSync(outbox);
  writeFileSync(join(work, "notes.txt"), "notes\n");
  const all: TurnFacts = {
    job: "j",
    thread: "state:j:PLAN:0",
    turn: 1,
    agent: "lead",
    serial: 2,
    state: "PLAN",
    lead: true,
    roster: ["writer"],
    parent: null,
    children: [{ agent: "writer", thread: "dispatch:2.0.1" }],
    closed: [],
    cap: 3,
    overCap: "refuse",
    policy: "never",
    outcomes: ["APPROVED_PLAN", "WITHDRAW"],
    workspace: work,
    ...PLAIN_TURN,
    ...facts,
  };
  await writeTurnFacts(outbox, all);
  const env = {
    PATH: process.env["PATH"] ?? "",
    CFA_OUTBOX: outbox,
    CFA_JOB: all.job,
    CFA_THREAD: all.thread,
    CFA_TURN: String(all.turn),
  };
  const entries = async () => (await readOutbox(outbox, all)).entries;
  return { home, work, outbox, facts: all, env, entries };
}

/** A directory that goes when the test ends. */
export function temporary(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "cfa-mcp-")));
  made.push(directory);
  return directory;
}

/** A message of the protocol. */
export type Message = { readonly id?: number | string | null; readonly [key: string]: unknown };

/** Opens a session of the 2025 era. */
export const OPENING: readonly Message[] = [
  {
    jsonrpc: "2.0",
    id: "open",
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

/** A call of a tool. */
export const call = (id: number, name: string, args: Readonly<Record<string, unknown>> = {}): Message => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

/** What a server said: its answers by id (null for those without), and what it complained of. */
export type Said = {
  readonly answers: ReadonlyMap<unknown, unknown>;
  readonly complaints: readonly string[];
};

/**
 * Serves the turn in this process: gives the server these lines, in chunks of `size` bytes, then, when it has given `answers`
 * answers beside that to the opening, the end of input.
 */
export async function converse(
  env: Readonly<Record<string, string>>,
  lines: readonly (Message | string | Uint8Array)[],
  size = 65_536,
  answers = 0,
): Promise<Said> {
  const bytes = Buffer.concat(
    [...OPENING, ...lines].flatMap((line) => [
      line instanceof Uint8Array ? line : Buffer.from(typeof line === "string" ? line : JSON.stringify(line)),
      Buffer.from("\n"),
    ]),
  );
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  let out = "";
  let enough = () => {};
  const answered = new Promise<void>((resolve) => (enough = resolve));
  const input = async function* () {
    yield* chunks;
    if (answers > 0) await answered;
  };
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      out += chunk.toString();
      if (out.split("\n").length - 2 >= answers) enough();
      done();
    },
  });
  const complaints: string[] = [];
  const complain = (sentence: string) => void complaints.push(sentence);
  await serveTools({ env, version: "1", input: Readable.from(input()), output, complain });
  return { answers: answersIn(out), complaints };
}

/** The answers that a server printed, by id. */
export function answersIn(out: string): ReadonlyMap<unknown, unknown> {
  const answers = new Map<unknown, unknown>();
  for (const line of out.split("\n").filter((line) => line !== "")) {
    const { id, result, error }: { id: unknown; result?: unknown; error?: unknown } = JSON.parse(line);
    answers.set(id, result ?? error);
  }
  return answers;
}
