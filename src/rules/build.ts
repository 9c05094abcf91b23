/**
 * Compiles the right side of a rule into builders, one a molecule.
 *
 * U1. A builder reads only variables that the left side, a guard or the choice has bound.
 * U2. A Run gets the next turn number of its thread; numbers are never reused.
 */
import type { Configuration } from "../soup/configuration.ts";
import { invariant } from "../soup/invariant.ts";
import type { Message, Payload } from "../soup/message.ts";
import type { EndMode, Molecule, ProxyPhase } from "../soup/molecule.ts";
import { Queue } from "../soup/queue.ts";
import { READ } from "./access.ts";
import { refusalMessage } from "./refusal.ts";
import { application, type Term } from "./terms.ts";
import { type Bindings, type Sort, SORTS, type Variable, variableOf, type VariableOf } from "./variables.ts";

/** Makes one molecule of a right side. */
export type Builder = (configuration: Configuration, b: Bindings) => Molecule;

/** The variables that a side of a rule mentions, in any position. */
export function variablesIn(text: string): Variable[] {
  const words: readonly string[] = text.match(/[\p{L}]+'?/gu) ?? [];
  const names: readonly Variable[] = Object.values(SORTS).flat();
  return names.filter((name) => words.includes(name));
}

function get<S extends Sort>(sort: S, text: string | undefined): (b: Bindings) => Bindings[VariableOf<S>] {
  const name = variableOf(sort, text ?? "");
  invariant(name !== undefined, `"${text ?? ""}" is no ${sort} variable`);
  return READ[name];
}

/** Compiles one molecule of a right side. */
export function compileBuilder(term: Term): Builder {
  const { kind, args } = term;
  switch (kind) {
    case "Parent": {
      const [child, thread] = [get("thread", args[0]), get("thread", args[1])];
      return (_, b) => ({ kind, child: child(b), thread: thread(b) });
    }
    case "Terminate": {
      const [thread, mode] = [get("thread", args[0]), modeOf(args[1] ?? "")];
      return (_, b) => ({ kind, thread: thread(b), mode: mode(b) });
    }
    default:
      invariant(kind !== "Interrupt", "no rule makes an Interrupt");
      return instanceBuilder(kind, args);
  }
}

function instanceBuilder(
  kind: Exclude<Molecule["kind"], "Parent" | "Terminate" | "Interrupt">,
  args: readonly string[],
): Builder {
  const [agent, thread] = [get("agent", args[0]), get("thread", args[1])];
  switch (kind) {
    case "Idle":
      return (_, b) => ({ kind, agent: agent(b), thread: thread(b) });
    case "Run": {
      const message = get("message", args[2]);
      return (c, b) => {
        const turn = (c.cell(thread(b))?.turns ?? 0) + 1;
        return { kind, agent: agent(b), thread: thread(b), message: message(b), turn };
      };
    }
    case "Send": {
      const payloads = get("payloads", args[2]);
      return (_, b) => ({ kind, agent: agent(b), thread: thread(b), payloads: payloads(b) });
    }
    case "Mailbox": {
      const mail = mailOf(args[2] ?? "");
      return (c, b) => ({ kind, agent: agent(b), thread: thread(b), messages: mail(c, b) });
    }
    default: {
      const question = get("question", args[2]);
      const text = get("message", args[3]);
      const policy = get("policy", args[4]);
      const phase = kind === "Proxy" ? phaseOf(args[5] ?? "") : undefined;
      return (_, b) => {
        const common = { agent: agent(b), thread: thread(b), question: question(b), text: text(b) };
        if (kind !== "Proxy") return { kind, ...common, policy: policy(b) };
        return { kind, ...common, policy: policy(b), phase: phase?.(b) ?? "fresh" };
      };
    }
  }
}

function modeOf(text: string): (b: Bindings) => EndMode {
  if (text === "merge" || text === "drop") return () => text;
  if (text === "k∨l") return (b) => (b.k === "drop" || b.l === "drop" ? "drop" : "merge");
  return get("mode", text);
}

function phaseOf(text: string): (b: Bindings) => ProxyPhase {
  if (text === "fresh" || text === "post-human") return () => text;
  return get("phase", text);
}

/** `q`, `[x]`, `q·x`, `q·answer(e,a)` or `q·refusal(p,why)`. */
function mailOf(text: string): (c: Configuration, b: Bindings) => Queue<Message> {
  const single = /^\[(.+)\]$/u.exec(text);
  if (single !== null) {
    const message = messageOf(single[1] ?? "");
    return (c, b) => Queue.of(message(c, b));
  }
  const [queue = "", last] = text.split("·");
  const mail = get("mail", queue);
  if (last === undefined) return (_, b) => mail(b);
  const message = messageOf(last);
  return (c, b) => mail(b).push(message(c, b));
}

function messageOf(text: string): (c: Configuration, b: Bindings) => Message {
  const applied = application(text);
  if (applied === undefined) {
    const message = get("message", text);
    return (_, b) => message(b);
  }
  if (applied.name === "answer") return (_, b) => ({ ...b.a, kind: "answer", re: b.e });
  invariant(applied.name === "refusal", `"${text}" is no message of a rule`);
  return (c, b) => refusalMessage(b.t, b.p, b.why, refusalNumber(c, b.t, b.ms));
}

/** Turn and place of the refused payload from the end of its broadcast: unique on the thread, the same in a replay. */
function refusalNumber(configuration: Configuration, thread: string, rest: Queue<Payload>): string {
  return `${configuration.cell(thread)?.turns ?? 0}.${rest.length}`;
}
