/**
 * What a simulated agent does in a turn: reply, dispatch, send several messages, ask, close, end the state, say nothing, fail,
 * hang, leave files that make no sense.
 *
 * B1. It leans towards coming to an end: a lead that has had its turns writes its outcome, so a job does not talk for ever.
 */
import type { Call } from "../../src/runtime/admission.ts";
import type { TurnRequest } from "../../src/runtime/agents/port.ts";
import type { DefaultAnswer } from "../../src/runtime/outbox.ts";
import type { Choices } from "../choice.ts";
import type { Fault } from "../faults.ts";

/** One act of a program. */
export type Act =
  | { readonly kind: "started"; readonly times: number }
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "edit"; readonly path: string }
  | { readonly kind: "resolve" }
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "outcome"; readonly outcome: string; readonly reason: string }
  | {
      readonly kind: "garbage";
      readonly where: "outbox" | "workspace";
      readonly name: string;
      readonly text: string;
    }
  /** Nothing that anybody sees. */
  | { readonly kind: "think" }
  | { readonly kind: "hang" }
  | { readonly kind: "end"; readonly stop: "ended" | "failed" | "aborted" | "killed"; readonly text: string };

const PATHS = ["a.txt", "b.txt", "c.txt", "d.txt", "INTENT.md", "PLAN.md"];
const GARBAGE = [
  { where: "outbox", name: "0001.json", text: "{" },
  { where: "outbox", name: "note.txt", text: "not a call" },
  { where: "outbox", name: "0007.json", text: `{"verb":"close","thread":"dispatch:9.9.9"}` },
  {
    where: "outbox",
    name: "0002.json",
    text: `{"verb":"ask","question":"q9.9.9","text":"under an id of somebody else"}`,
  },
] as const;

/** The acts of a turn. `count` is told of each fault among them. */
export function chooseActs(
  request: TurnRequest,
  choices: Choices,
  faulty: boolean,
  count: (fault: Fault) => void,
): Act[] {
  const acts: Act[] = [];
  if (choices.percent(90)) {
    const twice = faulty && choices.percent(10);
    if (twice) count("event-doubled");
    acts.push({ kind: "started", times: twice ? 2 : 1 });
  }
  for (let n = choices.percent(20) ? choices.below(30) : 0; n > 0; n--) acts.push({ kind: "think" });
  for (let n = choices.below(3); n > 0; n--) acts.push({ kind: "edit", path: choices.one(PATHS) });
  acts.push({ kind: "resolve" });
  if (request.facts.proxy !== undefined) return [...acts, ...proxyActs(request, choices, faulty, count)];
  const { lead, turn, closed } = request.facts;
  const calls = lead ? choices.below(Math.max(1, 5 - turn)) : choices.below(4);
  for (let n = calls; n > 0; n--) acts.push({ kind: "call", call: chooseCall(request, choices) });
  if (lead && choices.percent(60))
    for (const thread of closed) acts.push({ kind: "call", call: { verb: "close", thread } });
  if (faulty && choices.percent(6)) {
    count("bad-output");
    acts.push({ kind: "garbage", ...choices.one(GARBAGE) });
  }
  if (choices.percent(50)) acts.push({ kind: "line", text: "at work" });
  if (lead) acts.push(...chooseOutcome(request, choices, faulty, count));
  if (faulty && choices.percent(3)) {
    count("hanging-agent");
    return [...acts, { kind: "hang" }];
  }
  const stop = choices.percent(faulty ? 6 : 2) ? "failed" : "ended";
  return [...acts, { kind: "end", stop, text: choices.percent(85) ? `done ${turn}` : "" }];
}

/** A proxy answers, asks the human, or does neither; once the human has replied it leans towards an answer (B1). */
function proxyActs(
  { facts }: TurnRequest,
  choices: Choices,
  faulty: boolean,
  count: (fault: Fault) => void,
): Act[] {
  const text = `${facts.thread} ${facts.turn} ${choices.below(1_000_000)}`;
  const answers = facts.proxy?.phase === "fresh" ? 4 : 12;
  const call = (): Call =>
    choices.weighted<Call>([
      [answers, { verb: "respond", text, withdraw: choices.percent(10) }],
      [4, { verb: "ask", text }],
      [1, { verb: "none" }],
      [1, { verb: "send", to: "parent", message: text, files: [], optional: false }],
    ]);
  const acts: Act[] = [];
  for (let n = choices.below(3); n > 0; n--) acts.push({ kind: "call", call: call() });
  if (faulty && choices.percent(10)) {
    count("bad-output");
    acts.push({ kind: "garbage", ...choices.one(GARBAGE) });
  }
  if (faulty && choices.percent(3)) {
    count("hanging-agent");
    return [...acts, { kind: "hang" }];
  }
  const stop = choices.percent(faulty ? 10 : 3) ? "failed" : "ended";
  return [...acts, { kind: "end", stop, text: choices.percent(50) ? `said ${facts.turn}` : "" }];
}

/** How likely a lead writes its outcome: more with every turn (B1). */
function chooseOutcome(
  { facts }: TurnRequest,
  choices: Choices,
  faulty: boolean,
  count: (fault: Fault) => void,
): Act[] {
  if (!choices.percent(Math.min(90, 20 + 15 * facts.turn))) return [];
  if (faulty && choices.percent(8)) {
    count("bad-output");
    const text = choices.one(["{", `{"outcome":"FAILURE","reason":"x"}`, `{"outcome":"DONE"}`, "[]"]);
    return [{ kind: "garbage", where: "workspace", name: ".cfa/outcome.json", text }];
  }
  const forward = facts.outcomes.filter((one) => one.startsWith("APPROVED"));
  const back = facts.outcomes.filter((one) => one.startsWith("RE"));
  const kinds: (readonly [number, readonly string[]])[] = [
    [90, forward],
    [back.length > 0 ? 8 : 0, back],
    [2, ["WITHDRAW"]],
  ];
  const outcome = choices.one(choices.weighted(kinds));
  return [{ kind: "outcome", outcome, reason: `turn ${facts.turn} says so` }];
}

function chooseCall({ facts, message }: TurnRequest, choices: Choices): Call {
  const { roster, children, closed, parent } = facts;
  const text = `${facts.thread} ${facts.turn} ${choices.below(1_000_000)}`;
  const files = choices.percent(10) ? [choices.one(PATHS)] : [];
  const send = (to: string, thread?: string): Call => ({
    verb: "send",
    to,
    ...(thread === undefined ? {} : { thread }),
    message: text,
    files,
    optional: thread === undefined && to !== "parent" && choices.percent(20),
  });
  const kinds: (readonly [number, () => Call])[] = [
    [2, () => ({ verb: "ask", text, ...chooseDefault(text, choices) })],
    [2, () => ({ verb: "none" })],
    [1, () => send("nobody")],
  ];
  if (parent !== null) kinds.push([message.kind === "task" ? 6 : 3, () => send("parent")]);
  if (roster.length > 0) kinds.push([5, () => send(choices.one(roster))]);
  if (children.length > 0) {
    kinds.push([4, () => sendOn(choices, children, send)]);
    kinds.push([5, () => ({ verb: "close", thread: choices.one(children).thread })]);
  }
  if (closed.length > 0) kinds.push([2, () => ({ verb: "close", thread: choices.one(closed) })]);
  return choices.weighted(kinds)();
}

/** What counts when nobody answers in time; under `always` cfa refuses such a question. */
function chooseDefault(text: string, choices: Choices): { readonly default?: DefaultAnswer } {
  if (!choices.percent(40)) return {};
  return { default: { answer: `default of ${text}`, millis: choices.one([1, 1000, 60_000, 3_600_000]) } };
}

type Instance = { readonly agent: string; readonly thread: string };

function sendOn(
  choices: Choices,
  children: readonly Instance[],
  send: (to: string, thread: string) => Call,
): Call {
  const { agent, thread } = choices.one(children);
  return send(agent, thread);
}
