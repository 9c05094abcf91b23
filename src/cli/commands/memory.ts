/**
 * `cfa memory [list [WORDS] | show ID | correct ID TEXT]`: what is remembered of a human, and its correction (docs/escalation.md).
 *
 * Y1. A correction is a record of its own, by whoever makes it; the old one stays and says what has corrected it.
 */
import { z } from "zod";
import { memoryOf } from "../../engine/human-memory.ts";
import type { HumanMemory, Remembered } from "../../persistence/human-memory.ts";
import { type Context, say } from "../context.ts";
import { Misuse } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { repositoryTop } from "../jobs.ts";
import { answerLine, clip, firstLine, linesOf } from "../view/text.ts";
import { userName } from "../who.ts";

/** Options of `cfa memory`. */
export type MemoryOptions = {
  readonly repo?: string | undefined;
  readonly human?: string | undefined;
  readonly json?: boolean | undefined;
};

const HUMAN = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const LINE_WIDTH = 100;

/** What is done with the memory. */
export type MemoryAction = "list" | "show" | "correct";

/** Shows or corrects the memory of a human; `words` are what follows the action. */
export async function memoryCommand(
  context: Context,
  action: MemoryAction,
  words: readonly string[],
  { repo, human = "default", json = false }: MemoryOptions,
): Promise<number> {
  if (!HUMAN.test(human) || human === "none")
    throw new Misuse(`"${human}" is no name of a human: use the one that stands as human: in job.yaml`);
  const memory = memoryOf(await repositoryTop(context, repo), human);
  try {
    if (action === "list") await list(context, memory, human, words, json);
    if (action === "show") await show(context, memory, human, words, json);
    if (action === "correct") await correct(context, memory, words);
    return EXIT.completed;
  } finally {
    await memory.close();
  }
}

async function list(
  { stdout, stderr }: Context,
  memory: HumanMemory,
  human: string,
  words: readonly string[],
  json: boolean,
): Promise<void> {
  const records = await memory.list(words.length === 0 ? undefined : words.join(" "));
  if (json) return say(stdout, JSON.stringify(records, null, 2));
  if (records.length === 0)
    say(stderr, `nothing${words.length === 0 ? "" : " like that"} is remembered of ${human}`);
  for (const one of records) say(stdout, lineOf(one));
}

function lineOf(one: Remembered): string {
  const said = one.answer === null ? `the proxy: ${answerLine(one.view ?? "")}` : firstLine(one.answer);
  const mark = one.corrected === null ? "" : ` (corrected by ${one.corrected})`;
  const text = clip(`${firstLine(one.text)} -> ${said}`, LINE_WIDTH);
  return `${String(one.id).padStart(4)}  ${one.at.slice(0, 10)}  ${text}${mark}`;
}

async function show(
  { stdout }: Context,
  memory: HumanMemory,
  human: string,
  words: readonly string[],
  json: boolean,
): Promise<void> {
  const id = idOf(words[0], "show");
  if (words.length > 1) throw new Misuse("show takes one number: cfa memory show ID");
  const one = await memory.find(id);
  if (one === undefined) throw new Misuse(`there is no record ${id} of ${human}: cfa memory lists them`);
  if (json) return say(stdout, JSON.stringify(one, null, 2));
  const parts: readonly (readonly [string, string | number | null])[] = [
    ["record", one.id],
    ["time", one.at],
    ["context", one.context],
    ["question", `${one.question} of ${one.job}`],
    ["asked", one.text],
    ["proxy", one.view],
    ["human", one.answer],
    ["corrects", one.supersedes],
    ["corrected by", one.corrected],
    ["by", one.by],
  ];
  for (const [name, value] of parts)
    if (value !== null)
      say(stdout, `${`${name}:`.padEnd(14)}${linesOf(String(value)).join(`\n${" ".repeat(14)}`)}`);
}

async function correct(
  { stdout, stdin, now }: Context,
  memory: HumanMemory,
  words: readonly string[],
): Promise<void> {
  const id = idOf(words[0], "correct");
  const given = words.slice(1).join(" ");
  const text = given === "-" ? await stdin.text() : given;
  if (text.trim() === "")
    throw new Misuse(`say what is right: cfa memory correct ${id} TEXT, or - for standard input`);
  const corrected = await memory.correct(id, text, userName(), now().toISOString());
  if ("refused" in corrected) throw new Misuse(`${corrected.refused}: nothing was written`);
  say(stdout, `record ${corrected.id} corrects ${id}`);
}

function idOf(word: string | undefined, action: MemoryAction): number {
  const id = z.coerce.number().int().positive().safeParse(word);
  if (id.success) return id.data;
  throw new Misuse(`${action} needs the number of a record, as cfa memory lists it`);
}
