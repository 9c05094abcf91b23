/** A file-based agent in a temporary folder: a shell script, its home and its worktree, and one turn of it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { filesAgent, type FilesOptions } from "../../../src/channels/files-protocol/adapter.ts";
import { filesHome } from "../../../src/channels/files-protocol/layout.ts";
import type { TurnEvent, TurnFacts, TurnRequest } from "../../../src/runtime/agents/port.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { PLAIN_TURN } from "../../runtime/plain-turn.ts";

const THREAD = "dispatch:1.0.1";
const scratch: string[] = [];
afterEach(() => {
  for (const folder of scratch.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Shell functions of the agents: `status STATE [KEYS]`, and `deliver` for all that is required. */
export const SHELL = `
status() { printf '{"state": "%s", "started": "2026-01-01T10:00:00Z"%s}' "$1" "$2" >status.json; }
deliver() { echo done >outbox/result.txt; echo "All is done." >outbox/summary.md; status completed; }
`;

/** The place of one conversation. */
export type Place = {
  readonly home: string;
  readonly worktree: string;
  readonly write: (path: string, text: string) => void;
  /** The text of a file below the place; undefined where there is none. */
  readonly read: (path: string) => string | undefined;
  readonly has: (path: string) => boolean;
  readonly turn: (
    script: string,
    over?: Partial<TurnRequest>,
    options?: Partial<FilesOptions>,
    facts?: Partial<TurnFacts>,
    report?: (event: TurnEvent) => void,
  ) => ReturnType<ReturnType<typeof filesAgent>["run"]>;
};

/** Makes a place: `job/` is the folder of the job, `tree/` the worktree, `home` that of the conversation. */
export function makePlace(): Place {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "cfa-files-")));
  scratch.push(top);
  for (const name of ["job", "tree", "bin", "out"]) mkdirSync(join(top, name));
  const home = filesHome(join(top, "job"), THREAD);
  const worktree = join(top, "tree");
  let turns = 0;
  return {
    home,
    worktree,
    write: (path, text) => {
      mkdirSync(dirname(join(top, path)), { recursive: true });
      writeFileSync(join(top, path), text);
    },
    read: (path) => (existsSync(join(top, path)) ? readFileSync(join(top, path), "utf8") : undefined),
    has: (path) => existsSync(join(top, path)),
    turn: (script, over = {}, options = {}, facts = {}, report = () => {}) => {
      turns += 1;
      const agent = filesAgent({
        run: ["sh", "-c", `${SHELL}${script}`],
        env: [],
        cfaBin: join(top, "bin"),
        grace: 100,
        outputs: [],
        collect: {},
        jobDirectory: join(top, "job"),
        inlineLimit: 1000,
        escalates: { recoverable: false, unrecoverable: false },
        clock: systemClock,
        ...options,
      });
      return agent.run(requestOf(top, turns, over, facts), report);
    },
  };
}

function requestOf(
  top: string,
  turn: number,
  over: Partial<TurnRequest>,
  facts: Partial<TurnFacts>,
): TurnRequest {
  return {
    facts: {
      job: "j",
      thread: THREAD,
      turn,
      agent: "worker",
      serial: 2,
      state: "EXECUTE",
      lead: false,
      roster: [],
      parent: { agent: "lead", thread: "state:j:EXECUTE:1" },
      children: [],
      closed: [],
      cap: 3,
      overCap: "refuse",
      policy: "when_unsure",
      outcomes: [],
      workspace: join(top, "tree"),
      ...PLAIN_TURN,
      ...facts,
    },
    message: { id: "m", from: null, kind: "task", body: "Count." },
    prompt: "Count.",
    instructions: "",
    session: undefined,
    workspace: join(top, "tree"),
    outbox: join(top, "out"),
    stream: join(top, "stream"),
    entry: "draft",
    artifacts: { plan: "PLAN.md" },
    timeout: 60_000,
    signal: new AbortController().signal,
    ...over,
  };
}
