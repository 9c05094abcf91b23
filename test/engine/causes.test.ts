/** `cfa why`: the chain of causes of a thread's state, from real jobs cut at the moment in question. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Standing, whyEntry, whyThread } from "../../src/engine/causes/causes.ts";
import { stepsOf } from "../../src/engine/history.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import type { Step } from "../../src/persistence/verify.ts";
import { standingLine } from "../../src/cli/view/cause-lines.ts";
import { dispatching, filesAgent, jobOf, threadsOf } from "./files-fixture.ts";
import {
  approve,
  EXECUTE,
  type Finished,
  finish,
  gate,
  inExecute,
  runJob,
  shell,
  startJob,
  until,
} from "./fixture.ts";
import { smallJob } from "./log-fixture.ts";

type Fits = (entry: Entry) => boolean;
const fires =
  (rule: string, thread?: string): Fits =>
  ({ kind, body }) =>
    kind === "fire" && body.rule === rule && (thread === undefined || (body.at["t"] ?? "").includes(thread));
const ofKind =
  (kind: Entry["kind"]): Fits =>
  (entry) =>
    entry.kind === kind;

const names = (chain: readonly Step[]) =>
  chain.map(({ entry }) => (entry.kind === "fire" ? entry.body.rule : entry.kind));

/** The chain of a thread at the moment after the first entry that fits. */
function why(
  entries: readonly Entry[],
  thread: string,
  when?: Fits,
): { standing: Standing; names: readonly string[] } {
  const last = when === undefined ? entries.length : entries.findIndex(when) + 1;
  const steps = [...stepsOf(entries.slice(0, last))];
  const found = [...steps.at(-1)!.after.cells()].find((cell) => cell.thread.includes(thread))!;
  const { standing, chain } = whyThread(steps, found.thread)!;
  return { standing, names: names(chain) };
}

/** From the first turn of the lead of EXECUTE back to the transition that opened the state. */
const OPENED = ["turn", "wake", "spark", "send-step", "transition"];

describe("in a job that went well,", () => {
  let entries: readonly Entry[];
  beforeAll(async () => {
    ({ entries } = await smallJob());
  });

  test("a thread runs because of the message that another one's turn sent", () => {
    const { standing, names } = why(entries, "dispatch:", fires("wake", "dispatch:"));
    expect(standing).toMatchObject({ kind: "runs", turn: 1, message: { kind: "task", body: "do it" } });
    expect(names).toEqual(["wake", "spark", "send-step", ...OPENED]);
  });

  test("a lead waits for the child that it has opened", () => {
    const { standing, names } = why(entries, "EXECUTE:1", fires("send-empty", "EXECUTE:1"));
    expect(standing).toMatchObject({ kind: "waits", open: [expect.stringContaining("dispatch:")] });
    expect(names).toEqual(["send-step", ...OPENED]);
  });

  test("it waits for the human because of a question, which it asked on its child's reply", () => {
    const { standing, names } = why(entries, "EXECUTE:1", fires("escalate"));
    expect(standing).toMatchObject({ kind: "asks", text: "which one?", human: true });
    const asked = ["escalate", "ask", "ask-step", "turn", "wake", "send", "send-step", "turn", "wake"];
    expect(names).toEqual([...asked, "spark", "send-step", ...OPENED]);
  });

  test("it runs again because of a person's act", () => {
    const answered = entries.findIndex(fires("respond"));
    const wake = entries.findIndex((entry, at) => at > answered && fires("wake", "EXECUTE:1")(entry));
    const { names } = why(entries.slice(0, wake + 1), "EXECUTE:1");
    expect(names).toEqual(["wake", "respond", "human-reply", "act"]);
  });

  test("a child has ended because its parent closed it", () => {
    const { standing, names } = why(entries, "dispatch:");
    expect(standing).toEqual({ kind: "ended" });
    expect(names.slice(0, 8)).toEqual([
      "term-final",
      "send-terminate",
      "send-step",
      "turn",
      "wake",
      "respond",
      "human-reply",
      "act",
    ]);
  });

  test("a transition follows from the record of a turn, that one from the request", () => {
    const steps = [...stepsOf(entries)];
    const chain = whyEntry(steps, entries.findIndex(ofKind("transition")) + 1)!;
    expect(names(chain)).toEqual([
      "transition",
      "wake",
      "post",
      "turn",
      "wake",
      "spark",
      "send-step",
      "wake",
      "post",
      "open",
    ]);
  });

  test("the job has ended because the work of DONE was delivered", () => {
    const { names } = why(entries, "job:");
    expect(names.slice(0, 6)).toEqual(["term-final", "terminate", "deliver", "transition", "wake", "post"]);
  });

  test("every entry has its cause before it, or none", () => {
    const steps = [...stepsOf(entries)];
    for (const { entry } of steps) {
      const numbers = whyEntry(steps, entry.seq)!.map((step) => step.entry.seq);
      expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });
});

describe("in a job whose child fails for good,", () => {
  let failed: Finished;
  beforeAll(async () => {
    const lead = inExecute(
      async (turn) => void (await turn.send({ to: "worker", message: "do it" })),
      async (turn) => {
        for (const [, thread = ""] of turn.message.body.matchAll(/cfa close (\S+)/g))
          await turn.close(thread);
        await approve(turn);
      },
    );
    failed = await runJob({}, { lead, worker: () => Promise.reject(new Error("no")) });
  });

  test("it has ended after three failed turns", () => {
    const { names } = why(failed.entries, "dispatch:");
    const again = ["turn", "wake", "post"];
    expect(names).toEqual([
      "term-final",
      "terminate",
      ...again,
      ...again,
      "turn",
      "wake",
      "spark",
      "send-step",
      ...OPENED,
    ]);
  });
});

test("in a job that was withdrawn, a child has ended by the cascade from above", async () => {
  const { open, passed } = gate();
  const lead = inExecute(async (turn) => void (await turn.send({ to: "worker", message: "do it" })));
  const started = await startJob({}, { lead, worker: () => passed });
  await until(
    started.run,
    "fire",
    ({ rule, at }) => rule === "wake" && (at["t"] ?? "").startsWith("dispatch:"),
  );
  await started.run.withdraw("enough");
  await until(started.run, "fire", ({ rule }) => rule === "term-final");
  open();
  const { entries } = await finish(started);
  const chain = ["term-final", "cascade", "cascade", "terminate", "transition", "wake", "post", "act"];
  expect(why(entries, "dispatch:").names).toEqual(chain);
});

test("a turn that is held waits for the agent that its own needs", async () => {
  const team = { collector: filesAgent(""), analyst: filesAgent("", { wait_for: ["collector"] }) };
  const { entries } = await runJob(jobOf(team), { lead: dispatching("analyst", "collector") });
  const analyst = threadsOf(entries, "analyst")[0] ?? "";
  const begun: Fits = ({ kind, body }) => kind === "start" && body.agent === "collector";
  const { standing, names } = why(entries, analyst, begun);
  expect(standing).toMatchObject({ kind: "held", turn: 1, waits: [{ agent: "collector" }] });
  expect(standingLine(analyst, standing)).toBe(`${analyst} waits with turn 1 for collector`);
  expect(names.slice(0, 3)).toEqual(["wake", "spark", "send-step"]);
});

test("a turn of a fallback names who stands in", async () => {
  const agents = { lead: shell("false", { fallback: "second" }), second: shell("false") };
  const { entries } = await runJob(
    { ...EXECUTE, agents },
    {
      lead: () => {
        throw new Error("no answer of the model");
      },
      second: (turn) => approve(turn),
    },
  );
  const begun: Fits = ({ kind, body }) => kind === "start" && body.by === "second";
  const { standing } = why(entries, "EXECUTE", begun);
  expect(standing).toMatchObject({ kind: "runs", turn: 2, by: "second" });
  expect(standingLine("lead", standing)).toContain("lead runs turn 2 (second stands in) on recovery");
});

test("a thread or an entry that there is not has no chain", () => {
  expect(whyThread([], "t")).toBeUndefined();
  expect(whyEntry([], 1)).toBeUndefined();
});
