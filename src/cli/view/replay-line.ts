/**
 * One step of a replay as a line (docs/replay.md has the legend): number, round, rule or kind, and what it did.
 *
 * L1. Pure. A firing and a move are in notation; a record is in words.
 */
import { shortThread } from "../../job/thread-names.ts";
import { type Change, changeOf, threadsNamed } from "../../persistence/change.ts";
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { Step } from "../../persistence/verify.ts";
import { conversationOf } from "../../persistence/conversation.ts";
import { complete } from "../../rules/table.ts";
import { printMolecule } from "../../soup/print.ts";
import { detailOf } from "./log-line.ts";
import { shortChange } from "./short-notation.ts";

/** What a step did; undefined for a record. */
export function changeIn({ entry, before, after }: Step): Change | undefined {
  return changeOf(complete, entry, before, after);
}

/** Rule of a firing, kind of any other entry. */
export function nameOf(entry: Entry): string {
  return entry.kind === "fire" ? entry.body.rule : entry.kind;
}

/** The line, without line end. */
export function replayLine(step: Step): string {
  const { entry } = step;
  const number = String(entry.seq).padStart(5);
  const round = `#${entry.round}`.padEnd(5);
  return `${number}  ${round}  ${nameOf(entry).padEnd(14)}  ${whatOf(step)}`.trimEnd();
}

/** What a step did, in notation or words, on one line. */
export function whatOf(step: Step): string {
  const { entry } = step;
  const change = changeIn(step);
  if (change !== undefined) return shortChange(change);
  return shortened(entry, entry.kind === "workspace" ? workspaceText(entry.body) : detailOf(entry));
}

function workspaceText({ thread, commit, refused }: EntryBody<"workspace">): string {
  return commit === null ? `${thread} refused: ${refused ?? ""}` : `${thread} ready at ${commit.slice(0, 7)}`;
}

function shortened(entry: Entry, text: string): string {
  const named = text.replaceAll(/\bstate:[\w.-]+:(?=[A-Z]+:\d)/gu, "");
  return threadsNamed(entry).reduce((rest, thread) => rest.replaceAll(thread, shortThread(thread)), named);
}

/** The molecules that a step changed, `-` for those that went and `+` for those that came, in whole notation. */
export function soupLines(step: Step): readonly string[] {
  const change = changeIn(step);
  if (change === undefined) return [];
  return [
    ...change.consumed.map((molecule) => `       - ${printMolecule(molecule)}`),
    ...change.produced.map((molecule) => `       + ${printMolecule(molecule)}`),
  ];
}

/** A step as an object for programs; notation whole. */
export function replayObject(step: Step): Readonly<Record<string, unknown>> {
  const { entry } = step;
  const change = changeIn(step);
  return {
    seq: entry.seq,
    round: entry.round,
    at: entry.at,
    kind: entry.kind,
    rule: entry.kind === "fire" ? entry.body.rule : null,
    threads: threadsNamed(entry),
    left: change?.left.map(printMolecule) ?? [],
    right: change?.right.map(printMolecule) ?? [],
    consumed: change?.consumed.map(printMolecule) ?? [],
    produced: change?.produced.map(printMolecule) ?? [],
    closed: change?.closed ?? null,
    body: entry.body,
  };
}

/** Agents that an entry names. */
export function agentsNamed(entry: Entry): readonly string[] {
  if (entry.kind === "fire") {
    const { A, B } = entry.body.at;
    return [A, B].filter((agent) => agent !== undefined);
  }
  if (entry.kind === "open") return [entry.body.root.agent];
  return "agent" in entry.body ? [entry.body.agent] : [];
}

/** Whether an entry touches a thread, given by its whole or its short name, or the conversation of a question. */
export function touches(entry: Entry, name: string): boolean {
  if (threadsNamed(entry).some((thread) => thread === name || shortThread(thread) === name)) return true;
  return questionsNamed(entry).some((question) => conversationOf(question) === name);
}

function questionsNamed(entry: Entry): readonly string[] {
  if (entry.kind === "notify") return [entry.body.question];
  if (entry.kind === "act") return entry.body.verb === "answer" ? [entry.body.target] : [];
  if (entry.kind !== "fire") return [];
  const { at, choice } = entry.body;
  const asked = (choice?.ps ?? []).flatMap((one) => (one.kind === "ask" ? [one.question] : []));
  return [at["e"], choice?.e, ...asked].filter((question) => question !== undefined);
}
