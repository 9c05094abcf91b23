/**
 * Configurations from notation, and back.
 *
 * Y1. `soup(printConfiguration(c))` prints as `c` again (docs/rules.md, "Notation").
 * Y2. Values in a template are quoted where they are no atoms, so no text can change the shape of a soup.
 */
import type { WorkspaceFact } from "../soup/cell.ts";
import { Configuration } from "../soup/configuration.ts";
import { configurationOf, Edit } from "../soup/edit.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";
import { NotationError, parseSoup } from "../soup/parse.ts";
import { printAtom, printSoup } from "../soup/print.ts";

/** What a soup in notation does not show, but guards read (docs/rules.md, "Configuration"). */
export type SoupOptions = {
  /** Threads that have ended, besides those that the notation names behind `; closed`. */
  readonly closed?: readonly ThreadId[];
  /** Agents that each agent may spark; none by default. */
  readonly roster?: Readonly<Record<AgentName, readonly AgentName[]>>;
  /** Most open children of one thread; 3 by default. */
  readonly cap?: number;
  /** Threads whose workspace is ready, so that they may be sparked. */
  readonly ready?: readonly ThreadId[];
  /** Threads whose workspace could not be made, with the reason. */
  readonly refused?: Readonly<Record<ThreadId, string>>;
};

const SOUP = /^(?:[^";]|"(?:[^"\\\n]|\\.)*")*/u;
const CLOSED = /;\s*closed(?=\s|$)/uy;
const NAME = /\s*,?\s*("(?:[^"\\\n]|\\.)*"|[^\s,"]+)/uy;

function unquoted(text: string, offset: number, name: string): string {
  try {
    return String(JSON.parse(name));
  } catch {
    throw new NotationError(text, offset, "a JSON string");
  }
}

/** The threads behind `; closed`, which stands at `offset`; undefined when nothing stands there. */
function closedIn(text: string, offset: number): ThreadId[] | undefined {
  if (offset >= text.trimEnd().length) return undefined;
  CLOSED.lastIndex = offset;
  if (!CLOSED.test(text)) throw new NotationError(text, offset, '"; closed" and thread ids');
  const threads: ThreadId[] = [];
  let at = CLOSED.lastIndex;
  while (at < text.trimEnd().length) {
    NAME.lastIndex = at;
    const name = NAME.exec(text)?.[1];
    if (name === undefined) throw new NotationError(text, at, "a thread");
    at = NAME.lastIndex;
    threads.push(name.startsWith('"') ? unquoted(text, at - name.length, name) : name);
  }
  return threads;
}

/** A soup in notation: its molecules, and the threads that it says are closed; undefined when it says nothing of them. */
export function parseConfiguration(notation: string, options: SoupOptions = {}) {
  const { closed = [], roster = {}, cap = 3, ready = [], refused = {} } = options;
  const molecules = SOUP.exec(notation)?.[0] ?? "";
  const ended = closedIn(notation, molecules.length);
  const base = Configuration.empty({ rosters: roster, cap });
  let configuration = configurationOf(base, parseSoup(molecules), [...closed, ...(ended ?? [])]);
  const facts: readonly (readonly [ThreadId, WorkspaceFact])[] = [
    ...ready.map((thread) => [thread, { ready: true, commit: "ready" }] as const),
    ...Object.entries(refused).map(([thread, because]) => [thread, { ready: false, because }] as const),
  ];
  for (const [thread, fact] of facts) configuration = new Edit(configuration).workspace(thread, fact).done();
  return { configuration, ended };
}

/**
 * The configuration of a soup in notation; `; closed t1, t2` behind it names threads that have ended.
 *
 *     soup("Idle(lead,t0) ‖ Mailbox(lead,t0,[go])", { roster: { lead: ["writer"] }, ready: ["t1"] })
 *     soup`Idle(lead,t0) ‖ Mailbox(lead,t0,[${"any text, quoted where it must be"}])`
 *
 * @throws NotationError with line, column and what was expected.
 */
export function soup(notation: string, options?: SoupOptions): Configuration;
export function soup(template: TemplateStringsArray, ...values: readonly (string | number)[]): Configuration;
export function soup(
  text: string | TemplateStringsArray,
  ...rest: readonly (string | number | SoupOptions | undefined)[]
): Configuration {
  if (typeof text === "string") {
    const [options] = rest;
    return parseConfiguration(text, typeof options === "object" ? options : {}).configuration;
  }
  const values = rest.map((value) => (typeof value === "object" ? "" : printAtom(`${value ?? ""}`)));
  return parseConfiguration(text.map((part, at) => part + (values[at] ?? "")).join("")).configuration;
}

/** A configuration in notation on one line: sorted molecules, and `; closed …` when threads have ended. */
export function printConfiguration(configuration: Configuration): string {
  const molecules = printSoup(configuration);
  const closed = [...configuration.closed()].map(printAtom).sort();
  const tail = closed.length === 0 ? "" : ` ; closed ${closed.join(", ")}`;
  return (molecules.length === 0 ? "ε" : molecules.join(" ‖ ")) + tail;
}
