/**
 * The variables of the rules and their sorts. A variable has the same sort in every rule.
 *
 * `A` `B` agents; `t` `t'` threads; `m` `x` `x'` `y` `a` `X` `Y` messages; `q` a queue of mail; `p` a payload;
 * `ms` `ps` queues of payloads; `e` a question; `π` a policy; `h` a proxy phase; `k` `l` end modes; `why` a reason.
 */
import type { AgentName, Message, Payload, Policy, QuestionId, ThreadId } from "../soup/message.ts";
import type { EndMode, ProxyPhase } from "../soup/molecule.ts";
import { plainMessage } from "../soup/parse.ts";
import { Queue } from "../soup/queue.ts";

const NO_MESSAGE: Message = plainMessage("");
const NO_PAYLOAD: Payload = { kind: "terminate", thread: "" };
const NO_MAIL: Queue<Message> = Queue.of();
const NO_PAYLOADS: Queue<Payload> = Queue.of();

/** Values of a rule's variables. The table's build proves that none is read before it is bound. */
export class Bindings {
  A: AgentName = "";
  B: AgentName = "";
  t: ThreadId = "";
  "t'": ThreadId = "";
  m: Message = NO_MESSAGE;
  x: Message = NO_MESSAGE;
  "x'": Message = NO_MESSAGE;
  y: Message = NO_MESSAGE;
  a: Message = NO_MESSAGE;
  X: Message = NO_MESSAGE;
  Y: Message = NO_MESSAGE;
  p: Payload = NO_PAYLOAD;
  q: Queue<Message> = NO_MAIL;
  ms: Queue<Payload> = NO_PAYLOADS;
  ps: Queue<Payload> = NO_PAYLOADS;
  e: QuestionId = "";
  π: Policy = "never";
  h: ProxyPhase = "fresh";
  k: EndMode = "merge";
  l: EndMode = "merge";
  why = "";
}

/** A copy, field by field: the hot path of matching, where a generic copy is ten times slower. */
export function copyBindings(b: Bindings): Bindings {
  const copy = new Bindings();
  copy.A = b.A;
  copy.B = b.B;
  copy.t = b.t;
  copy["t'"] = b["t'"];
  copy.m = b.m;
  copy.x = b.x;
  copy["x'"] = b["x'"];
  copy.y = b.y;
  copy.a = b.a;
  copy.X = b.X;
  copy.Y = b.Y;
  copy.p = b.p;
  copy.q = b.q;
  copy.ms = b.ms;
  copy.ps = b.ps;
  copy.e = b.e;
  copy.π = b.π;
  copy.h = b.h;
  copy.k = b.k;
  copy.l = b.l;
  copy.why = b.why;
  return copy;
}

/** Name of a variable. */
export type Variable = keyof Bindings;

/** Variables by sort; those of one sort may stand in the same positions. */
export const SORTS = {
  agent: ["A", "B"],
  thread: ["t", "t'"],
  message: ["m", "x", "x'", "y", "a", "X", "Y"],
  payload: ["p"],
  mail: ["q"],
  payloads: ["ms", "ps"],
  question: ["e"],
  policy: ["π"],
  phase: ["h"],
  mode: ["k", "l"],
  reason: ["why"],
} as const satisfies Record<string, readonly Variable[]>;

/** The variables that a firing's record names, in this order: agents, threads, the question. */
export const NAMING = [...SORTS.agent, ...SORTS.thread, ...SORTS.question] as const;

/** Name of a sort. */
export type Sort = keyof typeof SORTS;

/** Variables of sort S. */
export type VariableOf<S extends Sort> = (typeof SORTS)[S][number];

/** The variable of sort S that `text` names, or undefined. */
export function variableOf<S extends Sort>(sort: S, text: string): VariableOf<S> | undefined {
  const names: readonly VariableOf<S>[] = SORTS[sort];
  return names.find((name) => name === text);
}
