/**
 * Turns in the log and programs in the world say the same: none without the other, none twice, each with its own message and words.
 *
 * T1. A program starts when the log holds the Run that asks for it, and once for a turn; two never share a tree.
 * T2. Nothing touches a tree while a program works in it.
 * T3. A `turn` in the log is that of a program which had ended; when it is good, its broadcast is what the program said.
 */
import { questionOf } from "../../src/persistence/conversation.ts";
import type { EntryBody } from "../../src/persistence/entry.ts";
import type { Step } from "../../src/persistence/verify.ts";
import type { Run } from "../../src/soup/molecule.ts";
import type { Checker, Evidence } from "../evidence.ts";
import type { Event } from "../world/witness.ts";

type Started = Extract<Event, { kind: "program-started" }>;
type Program = Started & { readonly said: string[]; ended: number | undefined };

/** See the header. */
export const turns: Checker = {
  name: "turns",
  says: "each turn in the log is that of one program, which ran once and alone in its tree",
  check: (evidence) => {
    const programs = new Map<string, Program>();
    return inTheWorld(evidence, programs) ?? inTheLog(evidence, programs);
  },
};

const keyOf = ({ thread, turn }: { readonly thread: string; readonly turn: number }) => `${thread} ${turn}`;

function inTheWorld({ sights, steps, ended }: Evidence, programs: Map<string, Program>): string | undefined {
  const asked = runsOf(steps);
  const byPid = new Map<number, Program>();
  const inTree = new Map<string, Program>();
  for (const { head, event } of sights) {
    switch (event.kind) {
      case "program-started": {
        const flaw = misstarted(event, head, proxyRun(event, head, steps) ?? asked.get(keyOf(event)), {
          programs,
          inTree,
        });
        if (flaw !== undefined) return flaw;
        const program = { ...event, said: [], ended: undefined };
        programs.set(keyOf(event), program);
        byPid.set(event.pid, program);
        inTree.set(event.tree, program);
        break;
      }
      case "program-called":
        if (event.call.verb === "send") byPid.get(event.pid)?.said.push(event.call.message);
        if (event.call.verb === "ask") byPid.get(event.pid)?.said.push(event.call.text);
        if (event.call.verb === "respond") byPid.get(event.pid)?.said.push(answerOf(event.call));
        break;
      case "program-ended": {
        const program = byPid.get(event.pid);
        if (program === undefined) break;
        program.ended = head;
        inTree.delete(program.tree);
        break;
      }
      case "tree-touched": {
        const busy = inTree.get(event.tree);
        if (busy !== undefined)
          return `${event.by} touches ${event.tree} while program ${busy.pid} works there`;
        break;
      }
      default:
    }
  }
  const [left] = ended ? inTree.values() : [];
  return left && `program ${left.pid} (${keyOf(left)}) is still there when the job has ended`;
}

function misstarted(
  event: Started,
  head: number,
  run: Asked | undefined,
  {
    programs,
    inTree,
  }: {
    readonly programs: ReadonlyMap<string, Program>;
    readonly inTree: ReadonlyMap<string, Program>;
  },
): string | undefined {
  const key = keyOf(event);
  if (run === undefined || run.from > head)
    return `program ${event.pid} starts for ${key}, which the log has not asked for at entry ${head}`;
  if (run.message !== event.message)
    return `program ${event.pid} of ${key} is given ${event.message}, not ${run.message}`;
  if (programs.has(key)) return `${key} is run a second time, by program ${event.pid}`;
  const other = inTree.get(event.tree);
  return other && `programs ${other.pid} and ${event.pid} work in ${event.tree} at once`;
}

type Asked = { readonly from: number; readonly message: string };

/** The Runs of a log, by thread and turn: entry that made it, and the message that it is about. */
function runsOf(steps: readonly Step[]): ReadonlyMap<string, Asked> {
  const runs = new Map<string, Asked>();
  for (const { entry, after } of steps) {
    if (entry.kind !== "fire" || !["wake", "wake-int", "interrupt"].includes(entry.body.rule)) continue;
    const run = runOn(after.cell(entry.body.at["t"] ?? "")?.lifecycles ?? []);
    if (run !== undefined) runs.set(keyOf(run), { from: entry.seq, message: run.message.id });
  }
  return runs;
}

/** The Proxy that a program on a question's conversation is about, at that entry of the log. */
function proxyRun({ thread }: Started, head: number, steps: readonly Step[]): Asked | undefined {
  const question = questionOf(thread);
  if (question === undefined) return undefined;
  const { after } = steps.findLast(({ entry }) => entry.seq <= head) ?? {};
  for (const cell of after?.cells() ?? [])
    for (const one of cell.questions)
      if (one.kind === "Proxy" && one.question === question) return { from: 0, message: one.text.id };
  return undefined;
}

/** What the asker hears of an answer. */
function answerOf({ text, withdraw }: { readonly text: string; readonly withdraw: boolean }): string {
  return withdraw ? `[WITHDRAW]\n${text}` : text;
}

function runOn(lifecycles: readonly { readonly kind: string }[]): Run | undefined {
  return lifecycles.find((one): one is Run => one.kind === "Run");
}

function inTheLog({ steps }: Evidence, programs: ReadonlyMap<string, Program>): string | undefined {
  for (const [at, { entry }] of steps.entries()) {
    if (entry.kind !== "turn") continue;
    const program = programs.get(keyOf(entry.body));
    const where = `entry ${entry.seq} (turn ${entry.body.turn} of ${entry.body.thread})`;
    if (program === undefined) return `${where}: no program ran`;
    if (program.ended === undefined || program.ended >= entry.seq)
      return `${where}: its program had not ended`;
    if (entry.body.result !== "ok") continue;
    const flaw = misquoted(entry.body, program, steps.slice(at + 1));
    if (flaw !== undefined) return `${where}: ${flaw}`;
  }
  return undefined;
}

/** What the program said is what is sent, in order (T3); the final text of a silent child is cfa's to send. */
function misquoted(
  { thread }: EntryBody<"turn">,
  { said }: Program,
  next: readonly Step[],
): string | undefined {
  const question = questionOf(thread);
  const [name, value] = question === undefined ? ["t", thread] : ["e", question];
  const choice = next.find(({ entry }) => entry.kind === "fire" && entry.body.at[name] === value)?.entry;
  if (choice?.kind !== "fire") return "no choice follows";
  const { ps = [], x, y, a } = choice.body.choice ?? {};
  const bodies = [x, y, a].flatMap((one) => (one === undefined ? [] : [one.body]));
  const sent = [...bodies, ...ps.flatMap((one) => bodyOf(one))];
  const lost = said.find((text) => !sent.includes(text));
  if (lost !== undefined) return `its program said "${lost}", and that is not sent`;
  const kept = sent.filter((text) => said.includes(text));
  return kept.length === said.length ? undefined : "what its program said is sent twice";
}

function bodyOf(one: NonNullable<NonNullable<EntryBody<"fire">["choice"]>["ps"]>[number]): string[] {
  if (one.kind === "deliver") return [one.message.body];
  return one.kind === "ask" ? [one.text.body] : [];
}
