/**
 * Firing: one redex becomes the next configuration, and a record from which it can be done again.
 *
 * I1. `fire` is pure: the configuration it gets stays as it is.
 * I2. A firing names rule, thread and partners; with the choice it determines the next configuration. So a log replays
 *     without an agent.
 */
import type { Configuration } from "../soup/configuration.ts";
import { Edit } from "../soup/edit.ts";
import { invariant } from "../soup/invariant.ts";
import type { Message, Payload, Policy, QuestionId, ThreadId } from "../soup/message.ts";
import { Queue } from "../soup/queue.ts";
import { type Redex, redexOf } from "./redex.ts";
import type { Rule, RuleTable } from "./table.ts";
import { type Bindings, copyBindings } from "./variables.ts";

/** What somebody outside decided: values of a rule's choice variables. */
export type Choice = {
  readonly ps?: readonly Payload[];
  readonly e?: QuestionId;
  readonly x?: Message;
  readonly π?: Policy;
  readonly y?: Message;
  readonly "x'"?: Message;
  readonly a?: Message;
};

/** A firing as it is recorded. `at` holds the values of the rule's agent, thread and question variables. */
export type Firing = {
  readonly rule: string;
  readonly at: Readonly<Record<string, string>>;
  readonly choice?: Choice;
};

/** A firing that the rule table does not allow; the message says what the rule requires. */
export class NotARedex extends Error {
  override readonly name = "NotARedex";
}

/** The bindings with the choice filled in. Throws {@link NotARedex} when the choice is not the rule's. */
function choose(rule: Rule, bindings: Bindings, choice: Choice = {}): Bindings {
  const wanted = rule.text.choice ?? [];
  const given = Object.keys(choice);
  if (given.length !== wanted.length || !given.every((name) => wanted.includes(name))) {
    throw new NotARedex(`${rule.id} takes the choice {${wanted.join(", ")}}, but got {${given.join(", ")}}`);
  }
  if (wanted.length === 0) return bindings;
  const b = copyBindings(bindings);
  const { ps, e, x, π, y, "x'": context, a } = choice;
  if (ps !== undefined) b.ps = Queue.from(ps);
  if (e !== undefined) b.e = e;
  if (x !== undefined) b.x = x;
  if (π !== undefined) b.π = π;
  if (y !== undefined) b.y = y;
  if (context !== undefined) b["x'"] = context;
  if (a !== undefined) b.a = a;
  return b;
}

/** Fires a redex. A rule that needs a choice takes it here. */
export function fire(configuration: Configuration, redex: Redex, choice?: Choice): Configuration {
  const { rule, matched } = redex;
  const b = rule.structural && choice === undefined ? redex.bindings : choose(rule, redex.bindings, choice);
  const edit = new Edit(configuration);
  // An optional molecule is always the last of its left side, so positions agree even when it is absent.
  for (let at = 0; at < matched.length; at++) {
    const molecule = matched[at];
    if (rule.kept[at] !== true && molecule !== undefined) edit.remove(molecule);
  }
  for (const build of rule.products) edit.add(build(configuration, b));
  if (rule.text.closes !== undefined) edit.close(b[rule.text.closes]);
  return edit.done();
}

/** The record of firing a redex. */
export function firingOf(redex: Redex, choice?: Choice): Firing {
  const at: Record<string, string> = {};
  for (const name of redex.rule.names) at[name] = redex.bindings[name];
  const rule = redex.rule.id;
  return choice === undefined ? { rule, at } : { rule, at, choice };
}

/** The redex that a record names, in the configuration before it; undefined when there is none. */
export function findRedex(table: RuleTable, configuration: Configuration, firing: Firing): Redex | undefined {
  const thread = firing.at["t"];
  if (thread === undefined) return undefined;
  const rule = table.byId.get(firing.rule);
  return rule === undefined ? undefined : redexOf(rule, configuration, thread, firing.at);
}

/**
 * Fires what a record says.
 * @throws NotARedex when the table does not allow it in this configuration.
 */
export function replay(table: RuleTable, configuration: Configuration, firing: Firing): Configuration {
  const rule = table.byId.get(firing.rule);
  if (rule === undefined) throw new NotARedex(`no rule "${firing.rule}" in the table "${table.name}"`);
  const redex = findRedex(table, configuration, firing);
  if (redex === undefined) {
    const strange = Object.keys(firing.at).filter((name) => !rule.names.some((known) => known === name));
    if (strange.length > 0)
      throw new NotARedex(`${rule.id} names {${rule.names.join(", ")}}, and no ${strange.join(", ")}`);
    const at = Object.entries(firing.at).map(([name, value]) => `${name} = ${value}`);
    const when = (rule.text.when ?? []).join(", ");
    throw new NotARedex(
      `${rule.id} does not match with ${at.join(", ")}: it needs ${rule.text.left}${when === "" ? "" : ` when ${when}`}`,
    );
  }
  return fire(configuration, redex, firing.choice);
}

/** The threads whose redexes a firing may have changed. */
export function touched(redex: Redex): ThreadId[] {
  const { t, "t'": other } = redex.bindings;
  const threads = redex.rule.paired ? [t, other] : [t];
  for (const molecule of redex.matched)
    if (molecule.kind === "Parent") threads.push(molecule.thread, molecule.child);
  invariant(threads.length > 0, "a firing touches its thread");
  return threads;
}
