/**
 * The messages of file-based agents: one JSON file each, `messages/{from}_to_{to}_NNN.json` (docs/files-dependencies.md). Pure.
 *
 * F1. The name says what the file says: sender, receiver and a number of three digits or more.
 * F2. A message that travels as mail is one line of JSON below a line for people; whoever reads the mail finds it whole again.
 * F3. `mail` names the mail that brought a message; cfa adds it, and an agent may leave it in when it passes the message on.
 */
import { z } from "zod";
import { parseJson } from "../../runtime/outbox-facts.ts";
import type { Message } from "../../soup/message.ts";
import { isDeeperThan } from "../json-depth.ts";

/** What a message may be. */
export const MESSAGE_TYPES = ["data_ready", "question", "answer", "update"] as const;

/** Largest file of a message, bytes. */
export const MESSAGE_FILE_BYTES_MAX = 64 * 1024;

/** Deepest nesting of a message. */
const DEPTH_MAX = 64;

/** The word by which agents call the human. */
export const HUMAN = "human";

/** Names become parts of file names. */
const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/u);

/** Schema of a message. */
export const fileMessageSchema = z.strictObject({
  from: name,
  to: name,
  timestamp: z.iso.datetime({ offset: true }),
  type: z.enum(MESSAGE_TYPES),
  content: z.json(),
  mail: z.string().exactOptional(),
});

/** A message as its file holds it. */
export type FileMessage = z.infer<typeof fileMessageSchema>;

/** The name of a message's file, without its number. */
export function pairOf({ from, to }: Pick<FileMessage, "from" | "to">): string {
  return `${from}_to_${to}`;
}

/** The name of a message's file (F1). */
export function messageFileName(message: Pick<FileMessage, "from" | "to">, number: number): string {
  return `${pairOf(message)}_${String(number).padStart(3, "0")}.json`;
}

/** The number of a message's file; undefined for a name that is none of this pair. */
export function numberIn(file: string, pair: string): number | undefined {
  if (!file.startsWith(`${pair}_`)) return undefined;
  const digits = /^(\d{3,9})\.json$/u.exec(file.slice(pair.length + 1))?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits, 10);
}

/** Reads the text of a file of this name; or why it is no message, as the end of a sentence that begins with its name. */
export function parseFileMessage(
  file: string,
  text: string,
): { readonly message: FileMessage; readonly number: number } | { readonly problem: string } {
  if (isDeeperThan(DEPTH_MAX, text)) return { problem: `is nested deeper than ${DEPTH_MAX} levels` };
  const value = parseJson(text);
  if (value === undefined) return { problem: "is no JSON" };
  const parsed = fileMessageSchema.safeParse(value);
  if (!parsed.success)
    return {
      problem: `is no message (${z.prettifyError(parsed.error).replaceAll(/\s+/gu, " ").slice(0, 300)})`,
    };
  const number = numberIn(file, pairOf(parsed.data));
  if (number !== undefined) return { message: parsed.data, number };
  return {
    problem: `says that it goes from ${parsed.data.from} to ${parsed.data.to}: call it ${messageFileName(parsed.data, 1)}`,
  };
}

/** A message as the body of mail (F2). */
export function mailBodyOf(message: FileMessage): string {
  const { mail: _mail, ...sent } = message;
  return `[${sent.type} from ${sent.from} for ${sent.to}]\n${JSON.stringify(sent)}`;
}

/** The message in the body of mail: its last line; undefined where there is none. */
export function messageInBody(body: string): FileMessage | undefined {
  const line = body.trimEnd().split("\n").at(-1) ?? "";
  if (!line.startsWith("{") || isDeeperThan(DEPTH_MAX, line)) return undefined;
  return fileMessageSchema.safeParse(parseJson(line)).data;
}

/**
 * The message that mail to `agent` is, or stands for; undefined for mail that only instructs (a task, corrections, refusals). A child speaks
 * for itself alone; the dispatcher also passes on what others say. `now` is when it arrives.
 */
export function messageOfMail(agent: string, mail: Message, now: Date): FileMessage | undefined {
  const { kind, body, from, re = null } = mail;
  const stands = { to: agent, timestamp: now.toISOString(), mail: mail.id };
  const told = messageInBody(body);
  switch (kind) {
    case "task":
      return told?.to === agent ? { ...told, mail: mail.id } : undefined;
    case "reply":
      if (told !== undefined && told.from === from?.agent) return { ...told, mail: mail.id };
      return from === null
        ? undefined
        : { ...stands, from: from.agent, type: "update", content: { text: body } };
    case "answer":
      return { ...stands, from: HUMAN, type: "answer", content: { question: re, text: body } };
    case "human":
      return { ...stands, from: HUMAN, type: "update", content: { text: body } };
    case "recovery":
    case "refusal":
    case "control":
      return undefined;
  }
}

/** What a question asks, in words: `content` where it is text, its `question` or `text`, else all of it as JSON. */
export function wordsOf(content: FileMessage["content"]): string {
  if (typeof content === "string") return content;
  const words = z
    .union([z.object({ question: z.string() }), z.object({ text: z.string() })])
    .safeParse(content).data;
  if (words === undefined) return JSON.stringify(content);
  return "question" in words ? words.question : words.text;
}
