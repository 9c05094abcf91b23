/** A repository with two dispatched threads, and programs that run in the tree of one of them inside the real boundary. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { tryBubblewrap } from "../../../src/runtime/boundary/bubblewrap.ts";
import type { Boundary } from "../../../src/runtime/boundary/port.ts";
import { commandAgent, type CommandOptions } from "../../../src/runtime/agents/command.ts";
import type { TurnRequest, TurnResult } from "../../../src/runtime/agents/port.ts";
import type { Workspaces } from "../../../src/runtime/workspaces/port.ts";
import { LEAD, opened, repository } from "../workspaces/repository.ts";
import { PLAIN_TURN } from "../plain-turn.ts";

const offer = await tryBubblewrap(process.env["PATH"] ?? "");

/** Why the tests of the boundary cannot run here; undefined where they can. `.ci/run` installs bubblewrap. */
export const UNTESTED = "missing" in offer ? `${offer.missing}: the boundary is not tested here` : undefined;

/** The boundary of this machine. */
export function theBoundary(): Boundary {
  if ("missing" in offer) throw new Error(UNTESTED);
  return offer.boundary;
}

export const OWN = "dispatch:own";
export const SIBLING = "dispatch:sibling";

/** See the header. */
export type Confined = {
  readonly dir: string;
  readonly workspaces: Workspaces;
  /** The tree in which the programs run, and that of a sibling, which holds `secret.txt` in a snapshot. */
  readonly own: string;
  readonly sibling: string;
  readonly outbox: string;
  /** Commit of the sibling's snapshot. */
  readonly snapshot: string;
  /** Runs a shell script as the agent of {@link OWN}. */
  readonly run: (
    script: string,
    options?: Partial<CommandOptions>,
    over?: Partial<TurnRequest>,
  ) => Promise<TurnResult>;
  readonly git: (...args: readonly string[]) => string;
  readonly remove: () => void;
};

export async function confined(): Promise<Confined> {
  const place = repository();
  const workspaces = await opened(place);
  await workspaces.branch(SIBLING, LEAD);
  await workspaces.branch(OWN, LEAD);
  const own = workspaces.path(OWN);
  const sibling = workspaces.path(SIBLING);
  place.write(join(sibling.slice(place.dir.length + 1), "secret.txt"), "SECRET of the sibling\n");
  const { commit: snapshot } = await workspaces.exclusive(SIBLING, () => workspaces.snapshot(SIBLING, "1.1"));
  const outbox = join(place.dir, ".cfa/outbox");
  mkdirSync(outbox);
  mkdirSync(join(place.dir, ".cfa/bin"));
  const request = requestIn(own, outbox, join(place.dir, ".cfa/stream.log"), workspaces);
  return {
    dir: place.dir,
    workspaces,
    own,
    sibling,
    outbox,
    snapshot,
    git: place.git,
    remove: place.remove,
    run: (script, options = {}, over = {}) => {
      const cfaBin = join(place.dir, ".cfa/bin");
      const run = ["sh", "-c", script];
      const agent = commandAgent({ run, env: [], cfaBin, grace: 50, boundary: theBoundary(), ...options });
      return agent.run({ ...request, ...over }, () => undefined);
    },
  };
}

function requestIn(own: string, outbox: string, stream: string, workspaces: Workspaces): TurnRequest {
  return {
    facts: {
      job: "j",
      thread: OWN,
      turn: 1,
      agent: "writer",
      serial: 2,
      state: "EXECUTE",
      lead: false,
      roster: [],
      parent: null,
      children: [],
      closed: [],
      cap: 3,
      overCap: "refuse",
      policy: "never",
      outcomes: [],
      workspace: own,
      ...PLAIN_TURN,
    },
    message: { id: "m", from: null, kind: "task", body: "write" },
    prompt: "the prompt\n",
    instructions: "",
    session: undefined,
    workspace: own,
    history: async () => (await workspaces.history?.(OWN)) ?? [],
    outbox,
    stream,
    entry: "draft",
    artifacts: {},
    timeout: 60_000,
    signal: new AbortController().signal,
  };
}

/** Whether anything is at a path. */
export const exists = (path: string): boolean => existsSync(path);
