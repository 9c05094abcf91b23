/**
 * What is worth telling while a job runs: one line an entry, or nothing.
 *
 * M1. `loud` lines stay above the live tree, which shows the others by itself; without a terminal all are printed.
 * M2. No line has control codes, whoever its words and names of files are from.
 */
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { Ledger } from "../../runtime/ledger.ts";
import { NOTHING_SPENT, withTurn } from "../../runtime/spending.ts";
import { isUnknown } from "../../runtime/usage.ts";
import type { ReadJob } from "../../engine/read-job.ts";
import { elapsed } from "./elapsed.ts";
import { askedLines } from "./question-view.ts";
import { costText } from "./spending.ts";
import { answerLine, clip, firstLine, linesOf, plain } from "./text.ts";
import { threadName } from "./thread-view.ts";

/** A line to tell (M1). */
export type EventLine = { readonly text: string; readonly loud: boolean };

const TEXT_WIDTH = 160;

/** The line for an entry; `read` is the job after it. `answer` makes the command that answers a question. */
export function eventLine(
  entry: Entry,
  read: ReadJob,
  answer: (question: string) => string,
): EventLine | undefined {
  const { ledger } = read;
  switch (entry.kind) {
    case "open":
      return quiet(`job ${entry.job}: ${firstLine(read.record.definition.request)}`);
    case "fire":
      return fireLine(entry.body, read, answer);
    case "start":
      return quiet(`${nameOf(entry.body.thread, ledger)} starts turn ${entry.body.turn}`);
    case "turn":
      return turnLine(entry.body, ledger);
    case "release":
      return releaseLine(entry.body, ledger);
    case "workspace":
      return entry.body.refused === null
        ? undefined
        : loud(`no workspace for ${threadName(entry.body.thread)}: ${entry.body.refused}`);
    case "transition": {
      const { from, action, to, reason, origin } = entry.body;
      return loud(`${from} → ${to}  ${action} by ${origin}: ${firstLine(reason)}`);
    }
    case "rollback":
      return loud(`${nameOf(entry.body.thread, ledger)} lost turn ${entry.body.turn}: ${entry.body.reason}`);
    case "terminate":
      return entry.body.mode === "drop"
        ? loud(`${threadName(entry.body.thread)} is ended: ${firstLine(entry.body.reason)}`)
        : undefined;
    case "interrupt":
      return loud(
        `${nameOf(entry.body.thread, ledger)} is interrupted: ${firstLine(entry.body.message.body)}`,
      );
    default:
      return recordLine(entry, ledger);
  }
}

function recordLine(entry: Entry, ledger: Ledger): EventLine | undefined {
  switch (entry.kind) {
    case "violation": {
      const { state, problem, failures } = entry.body;
      return loud(`${state} failure ${failures}: ${firstLine(problem)}`);
    }
    case "hold":
      return entry.body.action === null ? undefined : quiet(`${entry.body.action} waits: ${entry.body.why}`);
    case "park":
      return loud(entry.body.parked ? `parked: ${entry.body.why}` : `goes on: ${entry.body.why}`);
    case "deliver": {
      const { branch, commit, problem } = entry.body;
      const why = problem === undefined ? "" : `, not as the job asks: ${problem}`;
      return loud(`delivered on ${branch}${commit === null ? "" : ` at ${commit.slice(0, 7)}`}${why}`);
    }
    case "act": {
      const { by, verb, target, result } = entry.body;
      return loud(`${by}: ${verb}${target === "" ? "" : ` ${target}`}: ${result}`);
    }
    case "notify": {
      const { question, to, problem } = entry.body;
      const what = `the notification of question ${question} by ${to}`;
      return problem === null ? quiet(`${what} was given`) : loud(`warning: ${what} failed: ${problem}`);
    }
    case "resume":
      return undefined;
    case "fork":
      return loud(`a fork of ${entry.body.job}, from its entry ${entry.body.seq} on`);
    case "note": {
      const { level, thread, text } = entry.body;
      const who = thread === null ? "" : `${nameOf(thread, ledger)}: `;
      return loud(`${level === "info" ? "note" : level}: ${who}${firstLine(text)}`);
    }
    default:
      return undefined;
  }
}

function fireLine(
  { rule, at, choice }: EntryBody<"fire">,
  { ledger, configuration }: ReadJob,
  answer: (question: string) => string,
): EventLine | undefined {
  const thread = at["t"] ?? "";
  const other = at["t'"] ?? "";
  switch (rule) {
    case "spark": {
      const task = ledger.thread(other).task;
      if (thread === ledger.root) return quiet(`${nameOf(other, ledger)} is opened`);
      return quiet(`${nameOf(thread, ledger)} dispatches ${nameOf(other, ledger)}: ${firstLine(task)}`);
    }
    case "send-terminate":
      if (thread === ledger.root) return undefined;
      return quiet(`${nameOf(thread, ledger)} closes ${nameOf(other, ledger)}`);
    case "refuse": {
      const mail = configuration.cell(thread)?.mailboxes.flatMap(({ messages }) => [...messages]) ?? [];
      const why = mail.findLast(({ kind }) => kind === "refusal")?.body ?? "";
      return loud(`refused to ${nameOf(thread, ledger)}: ${firstLine(why)}`);
    }
    case "escalate": {
      const id = at["e"] ?? "";
      const asked = { id, text: choice?.y?.body ?? "", default: ledger.questions.get(id)?.default ?? null };
      return loud(askedLines(nameOf(thread, ledger), asked, answer(id)).join("\n"));
    }
    case "respond":
      return quiet(
        `${nameOf(thread, ledger)} has its answer to ${at["e"] ?? ""}: ${answerLine(choice?.a?.body ?? "")}`,
      );
    default:
      return undefined;
  }
}

function turnLine(turn: EntryBody<"turn">, ledger: Ledger): EventLine {
  const by = turn.by === undefined ? "" : ` (by ${turn.by})`;
  const used = isUnknown(turn.usage) ? "" : ` for ${costText(withTurn(NOTHING_SPENT, turn.usage))}`;
  const head = `${nameOf(turn.thread, ledger)}${by} ended turn ${turn.turn} in ${elapsed(turn.millis)}${used}`;
  if (turn.result === "ok") return quiet(turn.text.trim() === "" ? head : `${head}: ${firstLine(turn.text)}`);
  return loud(`${head}, ${turn.result}: ${firstLine(turn.failure ?? "")}`);
}

function releaseLine(
  { thread, into, result, ref, commit, paths }: EntryBody<"release">,
  ledger: Ledger,
): EventLine | undefined {
  // What becomes of the job's own tree is told by its delivery or its end.
  if (thread === ledger.root) return undefined;
  const who = nameOf(thread, ledger);
  const where = into === null ? "" : ` into ${threadName(into)}`;
  const at = commit === null ? "" : ` as ${commit.slice(0, 7)}`;
  switch (result) {
    case "merged":
      return quiet(`${who} is merged${where}${at}`);
    case "completed":
      return loud(`the conflict with ${who} is resolved${at}`);
    case "conflict":
      if (into === thread)
        return loud(`the workspace of ${who} is left unfinished by git: ${paths.join(", ")}`);
      return loud(`${who} conflicts${where}: ${paths.join(", ")}`);
    case "dropped":
      return quiet(`${who} is dropped${ref === null ? "" : `, kept on ${ref}`}`);
  }
}

/** `lead INTENT`, `writer dispatch:2.1.1`. */
function nameOf(thread: string, ledger: Ledger): string {
  const agent = ledger.threads.get(thread)?.agent;
  return agent === undefined ? threadName(thread) : `${agent} ${threadName(thread)}`;
}

function quiet(text: string): EventLine {
  return { text: clip(plain(text), TEXT_WIDTH), loud: false };
}

function loud(text: string): EventLine {
  return { text: linesOf(text).join("\n"), loud: true };
}
