/**
 * Dispatching without end, shown by doing it: the real rules accept one lap, and nothing that they look at has changed
 * when the next one begins.
 */
import type { AgentName, ThreadId } from "../../soup/message.ts";
import { invariant } from "../../soup/invariant.ts";
import { type LiveState, LIVE_STATES } from "../machine.ts";
import { leadOf } from "../state-record.ts";
import type { Finding } from "./finding.ts";
import type { TurnChoice } from "./choices.ts";
import { endlessDispatch, endOf, type Endless } from "./rosters.ts";
import { follow, type Node } from "./walk.ts";
import { nameOf, traceOf } from "./words.ts";

/** The finding, when conversations can be opened without end and no budget of turns bounds how many. */
export function unboundedDispatch(start: Node): Finding | undefined {
  const { definition } = start.model.record;
  const endless = endlessDispatch(definition);
  if (endless === undefined || endOf(definition) !== undefined) return undefined;
  const there = driveTo(start, endless.state);
  return endless.cycle ? cycle(there, endless) : again(there, endless);
}

const STOPS =
  "limits.max_turns counts the turns of leads alone, limits.fan_out the open conversations of one agent, and no budget.turns is set";

function cycle(start: Node, { path }: Endless): Finding {
  const { node, threads } = dispatchDown(start, path);
  const last = path.at(-1) ?? "";
  const first = path.indexOf(last);
  const loop = path.slice(first).join(" → ");
  const [upper = "", lower = ""] = [threads[first], threads.at(-1)].map((one) =>
    nameOf(node.model, one ?? ""),
  );
  return {
    kind: "unbounded",
    what: `conversations can be opened without end: the rosters form a cycle (${loop})`,
    trace: [
      ...traceOf(node),
      `${lower} now works below ${upper} and may do the same again, one level deeper each time. Nothing stops it: ${STOPS}.`,
    ],
    advice: "set budget.turns, or give the agents that are dispatched no rosters",
  };
}

function again(start: Node, { path }: Endless): Finding {
  const { node, threads } = dispatchDown(start, path);
  const agent = path.at(-1) ?? "";
  const boss = threads.at(-1) ?? "";
  const worker = node.model.record.definition.agents[agent]?.roster[0] ?? "";
  const first = dispatch(node, boss, worker, []);
  const replied = turn(first.node, first.thread, { kind: "reply" });
  const second = dispatch(replied, boss, worker, [first.thread]);
  const end = second.node;
  return {
    kind: "unbounded",
    what: `conversations can be opened without end: ${agent} is dispatched and may itself dispatch ${worker} again and again`,
    trace: [
      ...traceOf(end),
      `${nameOf(end.model, boss)} may go on like this after every reply. Nothing stops it: ${STOPS}.`,
    ],
    advice: `set budget.turns, or give ${agent} an empty roster`,
  };
}

/** The job in another live state, by outcomes alone. */
function driveTo(start: Node, state: LiveState): Node {
  let node = start;
  for (;;) {
    const { machine } = node.model.record;
    if (machine.state === state) return node;
    const lead = leadOf(node.model.record);
    const back = LIVE_STATES.findIndex((one) => one === machine.state) > LIVE_STATES.indexOf(state);
    const action = back ? "REALIGN" : machine.state === "INTENT" ? "APPROVED_INTENT" : "APPROVED_PLAN";
    node = turn(node, lead, { kind: "outcome", action, clumsy: false });
  }
}

function dispatchDown(start: Node, path: readonly AgentName[]) {
  let node = start;
  const threads: ThreadId[] = [];
  for (const agent of path) {
    const by = threads.at(-1) ?? leadOf(node.model.record);
    const opened = dispatch(node, by, agent, []);
    node = opened.node;
    threads.push(opened.thread);
  }
  return { node, threads };
}

/** One dispatch; the new conversation is the newest child of its opener. */
function dispatch(node: Node, by: ThreadId, agent: AgentName, closes: readonly ThreadId[]) {
  const next = turn(node, by, { kind: "dispatch", agents: [agent], closes });
  const { children } = next.model.ledger.thread(by);
  const thread = children.at(-1);
  invariant(
    thread !== undefined && children.length > node.model.ledger.thread(by).children.length,
    `${agent} was not dispatched`,
  );
  return { node: next, thread };
}

function turn(node: Node, thread: ThreadId, choice: TurnChoice): Node {
  return follow(node, { kind: "turn", thread, choice });
}
