/**
 * Walking through a log: where one stands, where to stop, what was last said. No terminal takes part.
 *
 * S1. A session never changes; a command gives the next one. The place is the number of an entry, 0 before the first.
 */
import { shortThread } from "../../job/thread-names.ts";
import type { Step } from "../../persistence/verify.ts";
import { complete } from "../../rules/table.ts";
import { replayLine, touches } from "../view/replay-line.ts";

/** Where continuing stops: at a firing of a rule, an entry that touches a thread, one whose mail has this id or holds this text. */
export type Breakpoint = { readonly on: "rule" | "thread" | "message"; readonly what: string };

/** See the header. */
export type Session = {
  readonly steps: readonly Step[];
  readonly at: number;
  readonly breakpoints: readonly Breakpoint[];
  /** What was searched for last. */
  readonly sought: string;
  /** Answer to the last command; empty when the place says it all. */
  readonly said: string;
};

/** What one may do. */
export type StepCommand =
  | { readonly do: "move"; readonly by: number }
  | { readonly do: "go"; readonly to: number }
  | { readonly do: "continue"; readonly direction: 1 | -1 }
  | { readonly do: "break"; readonly on: Breakpoint["on"] | undefined; readonly what: string }
  | { readonly do: "delete"; readonly number: number }
  | { readonly do: "search"; readonly text: string }
  | { readonly do: "help" | "print" | "quit" };

/** A session before the first entry. */
export function newSession(steps: readonly Step[]): Session {
  return { steps, at: 0, breakpoints: [], sought: "", said: "" };
}

/** The session after a command; `help`, `print` and `quit` leave it as it is. */
export function perform(session: Session, command: StepCommand): Session {
  switch (command.do) {
    case "move":
      return goTo(session, session.at + command.by);
    case "go":
      return goTo(session, command.to);
    case "continue":
      return goOn(session, command.direction);
    case "break":
      return setBreakpoint(session, command.on, command.what);
    case "delete":
      return deleteBreakpoint(session, command.number);
    case "search":
      return search(session, command.text);
    case "help":
    case "print":
    case "quit":
      return { ...session, said: "" };
  }
}

/** The step at which the session stands; undefined before the first. */
export function stepAt({ steps, at }: Session): Step | undefined {
  return steps[at - 1];
}

function goTo(session: Session, wanted: number): Session {
  const last = session.steps.length;
  const at = Math.max(0, Math.min(last, wanted));
  const said =
    wanted > last ? `entry ${last} is the last` : wanted < 0 ? "this is before the first entry" : "";
  return { ...session, at, said };
}

function goOn(session: Session, direction: 1 | -1): Session {
  const { steps, breakpoints } = session;
  for (let at = session.at + direction; at >= 1 && at <= steps.length; at += direction) {
    const step = steps[at - 1];
    const hit = breakpoints.findIndex((one) => step !== undefined && isHit(one, step));
    if (hit >= 0)
      return { ...session, at, said: `met breakpoint ${hit + 1}: ${breakpointText(breakpoints[hit])}` };
  }
  const end = direction === 1 ? steps.length : 0;
  return {
    ...session,
    at: end,
    said: breakpoints.length === 0 ? "no breakpoints are set" : "no breakpoint was met",
  };
}

function isHit({ on, what }: Breakpoint, { entry }: Step): boolean {
  switch (on) {
    case "rule":
      return entry.kind === "fire" && entry.body.rule === what;
    case "thread":
      return touches(entry, what);
    case "message":
      return JSON.stringify(entry.body).includes(JSON.stringify(what).slice(1, -1));
  }
}

/** A breakpoint in words. */
export function breakpointText(one: Breakpoint | undefined): string {
  return one === undefined ? "" : `${one.on} ${one.what}`;
}

function setBreakpoint(session: Session, on: Breakpoint["on"] | undefined, what: string): Session {
  if (what === "") {
    const list = session.breakpoints.map((one, at) => `${at + 1} ${breakpointText(one)}`).join(", ");
    return { ...session, said: list === "" ? "no breakpoints are set" : `breakpoints: ${list}` };
  }
  const kind = on ?? kindOf(session, what);
  if (kind === "rule" && !complete.byId.has(what)) return { ...session, said: `there is no rule ${what}` };
  const breakpoint = { on: kind, what };
  if (on === undefined && kind === "message" && !session.steps.some((step) => isHit(breakpoint, step)))
    return { ...session, said: `there is no rule and no thread ${what}, and no entry holds it` };
  const breakpoints = [...session.breakpoints, breakpoint];
  return { ...session, breakpoints, said: `breakpoint ${breakpoints.length}: ${kind} ${what}` };
}

/** A word without its kind is a rule, else a thread, else text of a message. */
function kindOf({ steps }: Session, what: string): Breakpoint["on"] {
  if (complete.byId.has(what)) return "rule";
  const cells = [...(steps.at(-1)?.after.cells() ?? [])];
  if (what.startsWith("escalation:")) return "thread";
  const known = cells.some(({ thread }) => thread === what || shortThread(thread) === what);
  return known ? "thread" : "message";
}

function deleteBreakpoint(session: Session, number: number): Session {
  if (session.breakpoints[number - 1] === undefined)
    return { ...session, said: `there is no breakpoint ${number}` };
  const breakpoints = session.breakpoints.filter((_, at) => at !== number - 1);
  return { ...session, breakpoints, said: `breakpoint ${number} is gone` };
}

/** The next entry whose line or body holds the text; without text what was sought last. */
function search(session: Session, text: string): Session {
  const sought = text === "" ? session.sought : text;
  if (sought === "") return { ...session, said: "search for what? /TEXT" };
  for (let at = session.at + 1; at <= session.steps.length; at++) {
    const step = session.steps[at - 1];
    if (step !== undefined && holds(step, sought)) return { ...session, at, sought, said: `found ${sought}` };
  }
  return { ...session, sought, said: `no later entry holds ${sought}` };
}

function holds(step: Step, text: string): boolean {
  return (
    replayLine(step).includes(text) ||
    JSON.stringify(step.entry.body).includes(JSON.stringify(text).slice(1, -1))
  );
}
