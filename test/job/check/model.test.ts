/** The model of the scheduler against the real one: the same choices make the same log. */
import { expect, test } from "vitest";
import { finishedTurn, type TurnChoice } from "../../../src/job/check/choices.ts";
import { Model } from "../../../src/job/check/model.ts";
import { kindsOf } from "../../../src/job/check/roles.ts";
import { openingDrafts } from "../../../src/engine/opening.ts";
import type { Draft } from "../../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../../src/runtime/agents/script-turn.ts";
import { approve, EXECUTE, type Keys, runJob } from "../../engine/fixture.ts";

/** What an agent does in each of its turns, told to the engine and to the model in one go. */
type Play = (turn: Pick<ScriptTurn, "children">) => TurnChoice;

const dispatch: Play = () => ({ kind: "dispatch", agents: ["worker"], closes: [] });
const closeAll: Play = ({ children }) => ({
  kind: "close",
  threads: children.map(({ thread }) => thread),
  clumsy: false,
});
const writeAgain: Play = ({ children }) => ({ kind: "send", thread: children[0]?.thread ?? "" });
const does =
  (choice: TurnChoice): Play =>
  () =>
    choice;
const ask = does({ kind: "ask" });
const reply = does({ kind: "reply" });
const fail = does({ kind: "fail" });
const silence = does({ kind: "silence", leaves: false });
const approves = does({ kind: "outcome", action: "APPROVED_WORK", clumsy: false });
const replans = does({ kind: "outcome", action: "REPLAN", clumsy: false });
const realigns = does({ kind: "outcome", action: "REALIGN", clumsy: false });
const approvesPlan = does({ kind: "outcome", action: "APPROVED_PLAN", clumsy: false });
const withdraws = does({ kind: "outcome", action: "WITHDRAW", clumsy: false });

/** Plays a choice as a script. */
async function play(turn: ScriptTurn, choice: TurnChoice, lead: boolean): Promise<void | string> {
  switch (choice.kind) {
    case "dispatch":
      for (const to of choice.agents) await turn.send({ to, message: "work" });
      return "done";
    case "send":
      await turn.send({ to: "worker", thread: choice.thread, message: "work" });
      return "done";
    case "close":
      for (const thread of choice.threads) await turn.close(thread);
      return "done";
    case "ask":
      await turn.ask("may I?");
      return "done";
    case "silence":
      if (!lead) await turn.sendNone();
      return "done";
    case "outcome":
      return choice.action.startsWith("APPROVED_") ? approve(turn) : turn.outcome(choice.action, "because");
    case "fail":
      throw new Error("it failed");
    case "reply":
      return "done";
  }
}

/** What of an entry does not depend on words, times and commits; undefined for what only the world knows. */
function essence({ kind, body }: Draft): string | undefined {
  switch (kind) {
    case "fire":
      return `${body.rule} ${JSON.stringify(Object.entries(body.at).sort())}`;
    case "post":
      return `${kind} ${body.thread} ${body.message.id}`;
    case "turn":
      return `${kind} ${body.thread} ${body.turn} ${body.result}`;
    case "transition":
      return `${kind} ${body.from} ${body.action} ${body.to}`;
    case "violation":
      return `${kind} ${body.thread} ${body.failures}`;
    case "terminate":
      return `${kind} ${body.thread} ${body.mode}`;
    case "start":
    case "note":
    // A tree leaves whenever git has done it.
    case "release":
      return undefined;
    default:
      return kind;
  }
}

const releases = (drafts: readonly Draft[]): readonly string[] =>
  drafts.flatMap(({ kind, body }) => (kind === "release" ? [`${body.thread} ${body.result}`] : [])).sort();

type Case = {
  readonly what: string;
  readonly keys?: Keys;
  readonly lead: readonly Play[];
  readonly worker?: readonly Play[];
};

const cases: readonly Case[] = [
  { what: "approves at once", lead: [approves] },
  { what: "says nothing until the state fails", lead: [silence, silence, silence] },
  { what: "fails for good", lead: [fail, fail, fail] },
  { what: "asks where nobody answers", lead: [ask, approves] },
  { what: "goes back to PLAN and on again", lead: [replans, approvesPlan, approves] },
  { what: "goes back to INTENT, over its limit", keys: { limits: { backtracks: 0 } }, lead: [realigns] },
  { what: "withdraws", lead: [withdraws] },
  { what: "closes what it dispatched", lead: [dispatch, closeAll, approves], worker: [reply] },
  { what: "approves with a conversation open", lead: [dispatch, approves], worker: [reply] },
  { what: "withdraws with a conversation open", lead: [dispatch, withdraws], worker: [reply] },
  { what: "goes on with a child", lead: [dispatch, writeAgain, approves], worker: [reply, reply] },
  { what: "has a child that says nothing", lead: [dispatch, closeAll, approves], worker: [silence] },
  { what: "has a child that asks", lead: [dispatch, approves], worker: [ask, reply] },
  {
    what: "approves although a child has failed",
    lead: [dispatch, approves, approves, approves],
    worker: [fail, fail, fail],
  },
  { what: "has spent its turns", keys: { limits: { max_turns: 1 } }, lead: [dispatch], worker: [reply] },
];

const never = { EXECUTE: { escalation: "never" }, PLAN: { escalation: "never" } };

test.concurrent.each(cases)(
  "a lead that $what: the same entries",
  async ({ keys, lead, worker = [] }: Case) => {
    const plays = { lead: [...lead], worker: [...worker] };
    const choices: { readonly thread: string; readonly choice: TurnChoice }[] = [];
    const script =
      (name: "lead" | "worker"): Script =>
      async (turn) => {
        const choice = plays[name].shift()?.(turn) ?? { kind: "silence", leaves: false };
        choices.push({ thread: turn.thread, choice });
        return play(turn, choice, name === "lead");
      };
    const scripts = { lead: script("lead"), worker: script("worker") };
    const { entries, job } = await runJob({ ...EXECUTE, states: never, ...keys }, scripts);
    const { definition, base, branch } = job.record;
    const model = Model.opened(
      openingDrafts(job.record.job, definition, base ?? "", branch, []),
      kindsOf(definition),
    );
    for (const { thread, choice } of choices) {
      const plan = model.turns.get(thread);
      if (plan === undefined) throw new Error(`the model has no turn on ${thread}`);
      model.end(thread, finishedTurn(model, plan, choice));
    }
    const told = (drafts: readonly Draft[]) => drafts.map(essence).filter((one) => one !== undefined);
    expect(told(model.committed)).toEqual(told(entries));
    expect(releases(model.committed)).toEqual(releases(entries));
    expect(model.standing).toEqual({ kind: "ended", state: job.record.machine.state });
  },
);
