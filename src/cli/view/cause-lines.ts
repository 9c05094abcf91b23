/**
 * The chain of causes in words, one line an entry: what it did, as far as the next one follows from it.
 *
 * C1. Pure. Thread names stand without the id of the job.
 */
import type { Standing } from "../../engine/causes/causes.ts";
import { noticeOf } from "../../job/notice.ts";
import { shortThread } from "../../job/thread-names.ts";
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { Step } from "../../persistence/verify.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { AgentName, Message, Payload } from "../../soup/message.ts";
import { waitText } from "../../runtime/dependencies/readiness.ts";
import { nameOf } from "./replay-line.ts";
import { answerLine, clip, count, firstLine } from "./text.ts";

const SHORT = 80;

/** The lines of a chain, newest first. */
export function causeLines(chain: readonly Step[]): readonly string[] {
  return chain.map(
    ({ entry, ...step }) =>
      `${String(entry.seq).padStart(5)}  ${nameOf(entry).padEnd(14)}  ${wordsOf({ entry, ...step })}`,
  );
}

/** What a thread does, as a sentence. */
export function standingLine(thread: string, standing: Standing): string {
  const who = shortThread(thread);
  switch (standing.kind) {
    case "runs":
      return `${who} runs turn ${standing.turn}${standIn(standing.by)} on ${mail(standing.message)}`;
    case "held":
      return `${who} waits with turn ${standing.turn} for ${waitText(standing.waits)}`;
    case "parked":
      return `${who} waits because the job is parked: ${standing.why}`;
    case "sends":
      return `${who} is sending; ${count(standing.left, "payload")} left`;
    case "asks": {
      const whom = standing.human ? "the human" : "the proxy";
      return `${who} waits for ${whom} because of question ${standing.question}: ${quote(standing.text)}`;
    }
    case "proxied": {
      const how = standing.turn === undefined ? "" : `, whose turn ${standing.turn} runs`;
      return `${who} is with the proxy${how}: ${quote(standing.text)}`;
    }
    case "put":
      return `${who} waits for the human: ${quote(standing.text)}`;
    case "answered":
      return `${who} was answered: ${quote(answerLine(standing.text))}`;
    case "unanswered":
      return `${who} has ended without an answer`;
    case "waits": {
      const names = standing.open.map((one) => shortThread(one));
      return names.length === 0
        ? `${who} waits for mail`
        : `${who} waits for mail; open below it: ${names.join(", ")}`;
    }
    case "ends":
      return `${who} is being ended`;
    case "ended":
      return `${who} has ended`;
  }
}

/** What an entry did, in words. */
export function wordsOf({ entry, after }: Step): string {
  const name = (thread: string) => shortThread(thread);
  switch (entry.kind) {
    case "fire":
      return firing(entry.body, after);
    case "post": {
      const { origin, agent, thread, message } = entry.body;
      return `the ${origin} sent to ${agent} on ${name(thread)}: ${mail(message)}`;
    }
    case "interrupt":
      return `the ${entry.body.origin} interrupted ${name(entry.body.thread)}: ${quote(entry.body.message.body)}`;
    case "terminate": {
      const { origin, thread, mode, reason } = entry.body;
      return `the ${origin} ended ${name(thread)}, its work to be ${mode === "merge" ? "merged" : "dropped"}: ${first(reason)}`;
    }
    case "rollback":
      return `turn ${entry.body.turn} on ${name(entry.body.thread)} was lost: ${entry.body.reason}`;
    case "workspace": {
      const { thread, commit, refused } = entry.body;
      return commit === null
        ? `no workspace for ${name(thread)}: ${refused}`
        : `a workspace for ${name(thread)} was made`;
    }
    case "start":
      return `the program of turn ${entry.body.turn} started on ${name(entry.body.thread)}${standIn(entry.body.by ?? null)}`;
    case "turn":
      return turn(entry.body);
    case "release":
      if (entry.body.into === entry.body.thread)
        return `what git had left unfinished in the workspace of ${name(entry.body.thread)} was ${entry.body.result === "conflict" ? "found" : "ended"}`;
      // What becomes of a job's own work is its delivery; then its tree goes.
      if (entry.body.result === "dropped" && entry.body.thread.startsWith("job:"))
        return "the workspace of the job was removed";
      return `the work of ${name(entry.body.thread)} was ${RELEASED[entry.body.result]}`;
    default:
      return recorded(entry);
  }
}

const RELEASED = {
  merged: "merged",
  conflict: "in conflict with its parent's",
  completed: "merged after a conflict",
  dropped: "dropped",
} as const;

function recorded(entry: Entry): string {
  switch (entry.kind) {
    case "transition": {
      const { from, action, to, reason, origin } = entry.body;
      return `${from} → ${to} by ${action} of the ${origin}: ${first(reason)}`;
    }
    case "violation":
      return `failure ${entry.body.failures} of ${entry.body.state}: ${first(entry.body.problem)}`;
    case "hold":
      return entry.body.action === null
        ? "an approval was let go"
        : `${entry.body.action} waits: ${entry.body.why}`;
    case "park":
      return entry.body.parked
        ? `the job was parked: ${entry.body.why}`
        : `the job went on: ${entry.body.why}`;
    case "deliver":
      return `the work was delivered on ${entry.body.branch}${entry.body.problem === undefined ? "" : `: ${entry.body.problem}`}`;
    case "act": {
      const { by, verb, target, text, result } = entry.body;
      return `${by} did ${verb}${target === "" ? "" : ` ${shortThread(target)}`}: ${quote(text)} (${result})`;
    }
    case "resume":
      return `a process went on with the job, which nobody had run since ${entry.body.since}`;
    case "fork":
      return `from here on it is a job of its own; before, it was entry ${entry.body.seq} of ${entry.body.job}`;
    case "note":
      return first(entry.body.text);
    case "open":
      return `job ${entry.job} was opened`;
    case "configure":
      return `the ${entry.body.origin} changed what the job may use`;
    default:
      return entry.kind;
  }
}

/** The agent that runs a turn in place of its own. */
function standIn(by: AgentName | null): string {
  return by === null ? "" : ` (${by} stands in)`;
}

function turn({ thread, turn, agent, by, result, failure, outcome }: EntryBody<"turn">): string {
  const what = `turn ${turn} of ${agent}${standIn(by ?? null)} on ${shortThread(thread)}`;
  if (result !== "ok") return `${what} ${result}: ${first(failure ?? "")}`;
  return outcome === null
    ? `${what} ended`
    : `${what} ended with the record ${clip(firstLine(outcome), SHORT)}`;
}

function firing({ rule, at, choice }: EntryBody<"fire">, after: Configuration): string {
  const name = (thread: string | undefined) => shortThread(thread ?? "");
  const [here, there] = [name(at["t"]), name(at["t'"])];
  const [agent, question] = [at["B"] ?? at["A"] ?? "", at["e"] ?? ""];
  switch (rule) {
    case "wake":
      return `${agent} on ${here} began turn ${run(after, at["t"])}`;
    case "wake-int":
    case "interrupt":
      return `${agent} on ${here} was redirected: turn ${run(after, at["t"])}`;
    case "send":
      return `${agent} on ${here} sent to ${at["A"]} on ${there}`;
    case "spark":
      return `${agent} on ${here} opened ${there} with ${at["A"]}`;
    case "send-step":
      return `${agent} on ${here} chose to send ${payloads(choice?.ps ?? [])}`;
    case "nosend-step":
      return `${agent} on ${here} chose to send nothing`;
    case "ask-step":
      return `${agent} on ${here} chose to ask ${choice?.e ?? ""}: ${quote(choice?.x?.body ?? "")}`;
    case "ask":
    case "send-ask":
      return `${agent} on ${here} asked ${question}`;
    case "escalate":
      return `question ${question} was put to the human: ${quote(choice?.y?.body ?? "")}`;
    case "human-reply":
      return `the human replied to ${question}: ${quote(choice?.["x'"]?.body ?? "")}`;
    case "respond":
      return `${agent} on ${here} got the answer to ${question}: ${quote(answerLine(choice?.a?.body ?? ""))}`;
    case "refuse":
      return `what ${agent} on ${here} wanted to send was refused`;
    case "send-terminate":
      return `${agent} on ${here} closed ${there}`;
    case "send-closed":
      return `${agent} on ${here} acknowledged the end of ${there}`;
    case "cascade":
      return `the end of ${here} took ${there} with it`;
    case "term-final":
      return `${here} ended`;
    default:
      return `${rule} on ${here}`;
  }
}

function run(configuration: Configuration, thread: string | undefined): string {
  const found = configuration.cell(thread ?? "")?.lifecycles.find(({ kind }) => kind === "Run");
  return found?.kind === "Run" ? `${found.turn} on ${mail(found.message)}` : "";
}

function payloads(all: readonly Payload[]): string {
  if (all.length === 0) return "nothing, on purpose";
  return all.map((one) => payload(one)).join(", ");
}

function payload(one: Payload): string {
  switch (one.kind) {
    case "deliver":
      return `${quote(one.message.body, 40)} to ${one.agent} on ${shortThread(one.thread)}`;
    case "terminate":
      return `the close of ${shortThread(one.thread)}`;
    case "ask":
      return `the question ${one.question}`;
  }
}

function mail(message: Message): string {
  const notice = noticeOf(message);
  if (notice !== undefined) return `the notice of ${notice.action} by the ${notice.origin}`;
  return `${message.kind} ${quote(message.body)}`;
}

function quote(text: string, width = SHORT): string {
  return JSON.stringify(clip(firstLine(text), width));
}

function first(text: string): string {
  return clip(firstLine(text), 2 * SHORT);
}
