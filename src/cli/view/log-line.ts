/**
 * An entry as one line for reading: `12:00:01.250  17  fire  spark B=lead t=… A=writer t'=…`.
 *
 * R1. Times are UTC. Texts are shortened; `cfa log --jsonl` has them whole.
 */
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import { printAtom, printPayload } from "../../soup/print.ts";
import type { Message, Payload } from "../../soup/message.ts";
import { conversationOf } from "../../persistence/conversation.ts";
import { usageText } from "./spending.ts";
import { clip, plain } from "./text.ts";

/** Most characters of a text (R1). */
const SHORT = 60;

/** The line, without line end. */
export function logLine(entry: Entry): string {
  const time = entry.at.slice(11, 23);
  return `${time}  ${String(entry.seq).padStart(4)}  ${entry.kind.padEnd(10)}  ${detailOf(entry)}`.trimEnd();
}

/** What an entry says, without time and number. */
export function detailOf(entry: Entry): string {
  switch (entry.kind) {
    case "fire":
      return firing(entry.body);
    case "open": {
      const { root, base, cap, engine } = entry.body;
      return words({ job: entry.body.job, root: `(${root.agent},${root.thread})`, base, cap, engine });
    }
    case "post": {
      const { agent, thread, message, head, origin } = entry.body;
      return `(${agent},${thread}) ${words({ head: head || null, origin })} ${mail(message)}`;
    }
    case "interrupt":
      return `${entry.body.thread} ${words({ origin: entry.body.origin })} ${mail(entry.body.message)}`;
    case "turn": {
      const { thread, turn, agent, by, result, failure, text, commit, millis, usage } = entry.body;
      const said = words({ text: text || null });
      return `(${agent},${thread}) turn ${turn} ${words({ by, result, failure, commit, millis })} ${usageText(usage)} ${said}`.trimEnd();
    }
    case "configure":
    case "workspace":
    case "terminate":
    case "rollback":
    case "start":
    case "release":
    case "transition":
    case "violation":
    case "hold":
    case "park":
    case "deliver":
    case "act":
    case "resume":
    case "fork":
    case "notify":
    case "note":
      return words(entry.body);
  }
}

function firing({ rule, at, choice }: EntryBody<"fire">): string {
  const { ps, ...rest } = choice ?? {};
  const bound = Object.entries(at).map(([name, value]) => `${name}=${named(name, value)}`);
  const chosen = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === "string" ? named(name, value) : mail(value)}`,
  );
  const payloads = ps === undefined ? [] : [`ps=[${ps.map(payload).join(",")}]`];
  return [rule, ...bound, ...chosen, ...payloads].join(" ");
}

/** A value of a naming variable; a question stands as its conversation (CfA §7). */
function named(variable: string, value: string): string {
  return printAtom(variable === "e" ? conversationOf(value) : value);
}

function payload(one: Payload): string {
  if (one.kind === "deliver") return printPayload({ ...one, message: shortened(one.message) });
  return printPayload(one.kind === "ask" ? { ...one, text: shortened(one.text) } : one);
}

function shortened(message: Message): Message {
  return { ...message, body: clip(plain(message.body), SHORT) };
}

function mail(message: Message): string {
  return `${message.kind} ${JSON.stringify(clip(plain(message.body), SHORT))}`;
}

/** The members that say something, as `name=value`. */
function words(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .filter(
      ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
    )
    .map(([name, value]) => `${name}=${word(value)}`)
    .join(" ");
}

function word(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return printAtom(/^[0-9a-f]{40,64}$/.test(value) ? value.slice(0, 7) : clip(plain(value), SHORT));
}
