/** File-based agents of the tests in this folder: shell programs that speak the protocol. */
import { join } from "node:path";
import { filesHome } from "../../src/channels/files-protocol/layout.ts";
import { JobViewer, type ThreadView } from "../../src/cli/view/job-view.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import { approve, bodies, EXECUTE, type Keys, type Started } from "./fixture.ts";

const PROTOCOL = [
  "set -e",
  `say() { printf '{"state":"%s","started":"2026-01-15T10:30:00Z"}' "$1" > status.json; }`,
  `fail() { printf '{"state":"failed","error":{"type":"TestError","message":"%s","recoverable":false}}' "$1" > status.json; exit 0; }`,
  `tell() { printf '{"from":"%s","to":"%s","timestamp":"2026-01-15T10:30:00Z","type":"%s","content":{"text":"%s"}}' "$CFA_AGENT" "$1" "$2" "$3" > "messages/\${CFA_AGENT}_to_$1_$4.json"; }`,
  "say running",
].join("\n");

/** A file-based agent that runs a shell script between `running` and `completed`; its summary names it unless the script writes one. */
export const filesAgent = (work: string, keys: Keys = {}): Keys => ({
  adapter: "files",
  sandbox: "advisory",
  run: [
    "sh",
    "-c",
    `${PROTOCOL}\n${work}\n[ -e outbox/summary.md ] || echo "$CFA_AGENT is done" > outbox/summary.md\nsay completed`,
  ],
  ...keys,
});

/** A job in EXECUTE of a lead and these agents, all of them in its roster. */
export const jobOf = (agents: Readonly<Record<string, Keys>>, keys: Keys = {}): Keys => ({
  ...EXECUTE,
  agents: { lead: { run: ["true"], sandbox: "advisory", roster: Object.keys(agents) }, ...agents },
  ...keys,
});

/** A lead that opens these agents in its first turn, in this order, and approves when as many have replied. */
export function dispatching(...agents: readonly string[]): Script {
  const replied = new Set<string>();
  return async (turn) => {
    if (turn.turn === 1) return sendAll(turn, agents);
    if (turn.message.kind === "reply") replied.add(turn.message.from?.agent ?? "");
    return replied.size === agents.length ? approve(turn) : turn.sendNone();
  };
}

/** Opens a conversation with each. */
export async function sendAll(turn: ScriptTurn, agents: readonly string[]): Promise<void> {
  for (const to of agents) await turn.send({ to, message: `do the work of ${to}` });
}

/** The threads of an agent, in the order in which they were opened. */
export const threadsOf = (entries: readonly Entry[], agent: string): readonly string[] =>
  bodies(entries, "fire").flatMap(({ rule, at }) =>
    rule === "spark" && at["A"] === agent ? [at["t'"] ?? ""] : [],
  );

/** The home of the n-th conversation with an agent. */
export const homeOf = ({ place, run }: Started, entries: readonly Entry[], agent: string, nth = 0): string =>
  filesHome(join(place.top, ".cfa/jobs", run.id), threadsOf(entries, agent)[nth] ?? "");

/** What happened to agents other than the lead, as `start collector`, `ok collector`, `failed collector`. */
export const workOf = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => {
    if (entry.kind === "start" && entry.body.agent !== "lead") return [`start ${entry.body.agent}`];
    if (entry.kind === "turn" && entry.body.agent !== "lead")
      return [`${entry.body.result} ${entry.body.agent}`];
    return [];
  });

/** What `cfa status` says of an agent's newest conversation after these entries: state and reason. */
export function statusOf(entries: readonly Entry[], agent: string): string {
  const viewer = new JobViewer();
  for (const entry of entries) viewer.apply(entry);
  const all = (view: ThreadView): readonly ThreadView[] => [view, ...view.children.flatMap(all)];
  const found = all(viewer.view().threads).findLast((view) => view.agent === agent);
  return `${found?.state}: ${found?.why}`;
}
