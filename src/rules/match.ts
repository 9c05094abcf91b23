/**
 * Compiles the left side of a rule into matchers.
 *
 * T1. A matcher tests one molecule against the variables bound so far and binds the rest; a variable met a second time
 *     is compared, never bound again.
 * T2. `candidates` finds the molecules that may match through the cells that bound thread variables name.
 */
import { edgesOf } from "../soup/cell.ts";
import type { Configuration } from "../soup/configuration.ts";
import { invariant } from "../soup/invariant.ts";
import type { Molecule, Parent } from "../soup/molecule.ts";
import { BIND, READ } from "./access.ts";
import { application, type Term } from "./terms.ts";
import { type Bindings, type Sort, type Variable, variableOf } from "./variables.ts";

type Test = (molecule: Molecule, b: Bindings) => boolean;
type Candidates = (configuration: Configuration, b: Bindings) => Iterable<Molecule>;

/** One molecule of a compiled left side. */
export type Matcher = {
  readonly term: Term;
  readonly candidates: Candidates;
  readonly test: Test;
};

type Bound = Set<Variable>;

/** A test of one position: binds the variable the first time, compares it afterwards; `_` accepts anything. */
function position<V extends Variable>(
  bound: Bound,
  name: V | undefined,
  text: string,
): (value: Bindings[V], b: Bindings) => boolean {
  if (text === "_") return () => true;
  invariant(name !== undefined, `"${text}" is no variable of the sort that stands here`);
  if (bound.has(name)) {
    const read: (b: Bindings) => Bindings[V] = READ[name];
    return (value, b) => read(b) === value;
  }
  bound.add(name);
  return BIND[name];
}

/** Compiles one molecule of a left side; `bound` grows by the variables that it binds. */
export function compileMatcher(term: Term, bound: Bound): Matcher {
  const candidates = candidatesOf(term, bound);
  return { term, candidates, test: testOf(term, bound) };
}

function testOf(term: Term, bound: Bound): Test {
  const arg = (at: number): string => {
    const text = term.args[at];
    invariant(text !== undefined, `${term.kind} of a rule has too few arguments`);
    return text;
  };
  const variable = <S extends Sort>(sort: S, at: number) =>
    position(bound, variableOf(sort, arg(at)), arg(at));
  switch (term.kind) {
    case "Idle": {
      const [agent, thread] = [variable("agent", 0), variable("thread", 1)];
      return (one, b) => one.kind === "Idle" && thread(one.thread, b) && agent(one.agent, b);
    }
    case "Run": {
      const [agent, thread, message] = [variable("agent", 0), variable("thread", 1), variable("message", 2)];
      return (one, b) =>
        one.kind === "Run" && thread(one.thread, b) && agent(one.agent, b) && message(one.message, b);
    }
    case "Mailbox": {
      const [agent, thread] = [variable("agent", 0), variable("thread", 1)];
      const list = mailTest(arg(2), bound);
      return (one, b) =>
        one.kind === "Mailbox" && thread(one.thread, b) && agent(one.agent, b) && list(one, b);
    }
    case "Send": {
      const [agent, thread] = [variable("agent", 0), variable("thread", 1)];
      const list = payloadTest(arg(2), bound);
      return (one, b) => one.kind === "Send" && thread(one.thread, b) && agent(one.agent, b) && list(one, b);
    }
    case "Parent": {
      const [child, thread] = [variable("thread", 0), variable("thread", 1)];
      return (one, b) => one.kind === "Parent" && thread(one.thread, b) && child(one.child, b);
    }
    case "Terminate": {
      const [thread, mode] = [variable("thread", 0), variable("mode", 1)];
      return (one, b) => one.kind === "Terminate" && thread(one.thread, b) && mode(one.mode, b);
    }
    case "Interrupt": {
      const [thread, message] = [variable("thread", 0), variable("message", 1)];
      return (one, b) => one.kind === "Interrupt" && thread(one.thread, b) && message(one.message, b);
    }
    default:
      return questionTest(term, bound);
  }
}

function questionTest(term: Term, bound: Bound): Test {
  const kind = term.kind;
  const [A = "", t = "", e = "", x = "", π = "", h = "_"] = term.args;
  const agent = position(bound, variableOf("agent", A), A);
  const thread = position(bound, variableOf("thread", t), t);
  const question = position(bound, variableOf("question", e), e);
  const text = position(bound, variableOf("message", x), x);
  const policy = position(bound, variableOf("policy", π), π);
  const phase = position(bound, variableOf("phase", h), h);
  return (one, b) =>
    one.kind === kind &&
    (one.kind === "AskQuestion" || one.kind === "Proxy" || one.kind === "AskHuman") &&
    thread(one.thread, b) &&
    agent(one.agent, b) &&
    question(one.question, b) &&
    text(one.text, b) &&
    policy(one.policy, b) &&
    (one.kind !== "Proxy" || phase(one.phase, b));
}

type MailboxTest = (mailbox: Extract<Molecule, { kind: "Mailbox" }>, b: Bindings) => boolean;

/** `q`, or `m·q`: the first message and the rest. */
function mailTest(text: string, bound: Bound): MailboxTest {
  const [head = "", tail] = text.split("·");
  if (tail === undefined) {
    const all = position(bound, variableOf("mail", head), head);
    return (mailbox, b) => all(mailbox.messages, b);
  }
  const first = position(bound, variableOf("message", head), head);
  const rest = position(bound, variableOf("mail", tail), tail);
  return (mailbox, b) => {
    const message = mailbox.messages.head;
    return message !== undefined && first(message, b) && rest(mailbox.messages.pop(), b);
  };
}

type SendTest = (send: Extract<Molecule, { kind: "Send" }>, b: Bindings) => boolean;

/** `[]`, `ms`, `p·ms`, or `deliver(A,t',x)·ms` and the like. */
function payloadTest(text: string, bound: Bound): SendTest {
  if (text === "[]") return (send) => send.payloads.length === 0;
  const [head = "", tail] = text.split("·");
  if (tail === undefined) {
    const all = position(bound, variableOf("payloads", head), head);
    return (send, b) => all(send.payloads, b);
  }
  const first = headTest(head, bound);
  const rest = position(bound, variableOf("payloads", tail), tail);
  return (send, b) => {
    const payload = send.payloads.head;
    return payload !== undefined && first(payload, b) && rest(send.payloads.pop(), b);
  };
}

function headTest(text: string, bound: Bound): (payload: Bindings["p"], b: Bindings) => boolean {
  const applied = application(text);
  if (applied === undefined) return position(bound, variableOf("payload", text), text);
  const [one = "", two = "", three = ""] = applied.args;
  switch (applied.name) {
    case "deliver": {
      const agent = position(bound, variableOf("agent", one), one);
      const thread = position(bound, variableOf("thread", two), two);
      const message = position(bound, variableOf("message", three), three);
      return (payload, b) =>
        payload.kind === "deliver" &&
        agent(payload.agent, b) &&
        thread(payload.thread, b) &&
        message(payload.message, b);
    }
    case "terminate": {
      const thread = position(bound, variableOf("thread", one), one);
      return (payload, b) => payload.kind === "terminate" && thread(payload.thread, b);
    }
    case "ask": {
      const question = position(bound, variableOf("question", one), one);
      const message = position(bound, variableOf("message", two), two);
      const policy = position(bound, variableOf("policy", three), three);
      return (payload, b) =>
        payload.kind === "ask" &&
        question(payload.question, b) &&
        message(payload.text, b) &&
        policy(payload.policy, b);
    }
    default:
      invariant(false, `"${text}" is no payload of a rule`);
  }
}

const NONE: readonly Molecule[] = [];

function candidatesOf(term: Term, bound: Bound): Candidates {
  if (term.kind === "Parent") return edgeCandidates(term, bound);
  const text = term.kind === "Terminate" || term.kind === "Interrupt" ? term.args[0] : term.args[1];
  const thread = variableOf("thread", text ?? "");
  invariant(thread !== undefined && (bound.has(thread) || bound.size === 0), `${term.kind} needs a scan`);
  const at = READ[thread];
  switch (term.kind) {
    case "Idle":
    case "Run":
    case "Send":
      return (c, b) => c.cell(at(b))?.lifecycles ?? NONE;
    case "Mailbox":
      return (c, b) => c.cell(at(b))?.mailboxes ?? NONE;
    case "Terminate":
      return (c, b) => c.cell(at(b))?.terminates ?? NONE;
    case "Interrupt":
      return (c, b) => c.cell(at(b))?.interrupts ?? NONE;
    default:
      return (c, b) => c.cell(at(b))?.questions ?? NONE;
  }
}

/** Parent(child,thread): by the child's upward edges when the child is bound, else by the children of the thread. */
function edgeCandidates(term: Term, bound: Bound): Candidates {
  const [childText = "", threadText = ""] = term.args;
  const child = variableOf("thread", childText);
  const thread = variableOf("thread", threadText);
  if (child !== undefined && bound.has(child)) {
    const below = READ[child];
    return (c, b) => edgesUp(c, below(b));
  }
  invariant(thread !== undefined && bound.has(thread), "Parent needs a scan");
  const above = READ[thread];
  return (c, b) => {
    const cell = c.cell(above(b));
    return cell === undefined ? NONE : edgesOf(cell.down);
  };
}

function edgesUp(configuration: Configuration, child: string): readonly Parent[] {
  const up = configuration.cell(child)?.up;
  return up === undefined || up.length === 0 ? [] : up.map(({ edge }) => edge);
}
