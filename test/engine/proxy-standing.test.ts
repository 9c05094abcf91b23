/** A question on its way through the proxy, as `cfa status`, `cfa why` and `cfa step` show it at each entry (docs/escalation.md). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, describe, expect, test } from "vitest";
import { soupTree } from "../../src/cli/step/soup-tree.ts";
import { stopping } from "../../src/cli/stopping.ts";
import { standingLine } from "../../src/cli/view/cause-lines.ts";
import { JobViewer, type ThreadView } from "../../src/cli/view/job-view.ts";
import { treeLines } from "../../src/cli/view/tree-lines.ts";
import { whyThread } from "../../src/engine/causes/causes.ts";
import { stepsOf } from "../../src/engine/history.ts";
import type { Entry } from "../../src/persistence/entry.ts";
import { processIdentity } from "../../src/persistence/process-identity.ts";
import type { AgentAdapter } from "../../src/runtime/agents/port.ts";
import { scriptAgent } from "../../src/runtime/agents/script.ts";
import { adapters, definitionOf, EXECUTE, finish, makeEngine, makePlace, shell, until } from "./fixture.ts";

const CONVERSATION = "escalation:q1.1.1";

/** A proxy that fails, asks the human, then answers with what they say; each turn costs half a dollar. */
const proxy: AgentAdapter = {
  boundary: "in-process",
  run: async (request, report) => {
    const script = scriptAgent(async (turn) => {
      if (turn.turn === 1) throw new Error("out of tune");
      if (turn.message.kind === "human") return turn.respond(`they said ${turn.message.body}`);
      return void (await turn.ask("which colour?"));
    });
    return { ...(await script.run(request, report)), usage: { tokens: 5, usd: 0.5 } };
  },
};

let entries: readonly Entry[];
beforeAll(async () => {
  const place = makePlace();
  const engine = makeEngine();
  const lead = adapters({
    lead: async (turn) => {
      if (turn.message.kind === "answer") return turn.outcome("APPROVED_WORK", turn.message.body);
      return void (await turn.ask("red or blue?"));
    },
  });
  const keys = { ...EXECUTE, agents: { lead: shell("cat"), proxy: shell("cat") } };
  const run = await engine.start(definitionOf(place, keys), { agents: { ...lead, proxy } });
  await until(run, "fire", ({ rule }) => rule === "escalate");
  await run.answer("q1.1.1", "green");
  ({ entries } = await finish({ place, engine, run }));
});

/** The entries up to the n-th of a kind in the conversation, or up to the n-th firing of a rule. */
function upTo(what: string, n = 1): readonly Entry[] {
  const fits = ({ kind, body }: Entry) =>
    kind === "fire" ? body.rule === what : kind === what && "thread" in body && body.thread === CONVERSATION;
  const found = entries.flatMap((entry, at) => (fits(entry) ? [at] : []));
  return entries.slice(0, (found[n - 1] ?? entries.length) + 1);
}

function viewAt(part: readonly Entry[]) {
  const viewer = new JobViewer();
  for (const entry of part) viewer.apply(entry);
  return viewer.view();
}

const all = (thread: ThreadView): ThreadView[] => [thread, ...thread.children.flatMap(all)];
const find = (part: readonly Entry[], name: RegExp) =>
  all(viewAt(part).threads).find(({ thread }) => name.test(thread));

test("the second signal kills the program of its turn", async () => {
  const part = upTo("start");
  const [start] = part.slice(-1);
  if (start?.kind !== "start") throw new Error("no turn has started");
  const program = spawn("sleep", ["600"], { detached: true });
  const killed = once(program, "exit");
  const viewer = new JobViewer();
  const identity = processIdentity(program.pid ?? 0);
  if (identity === undefined) throw new Error("sleep is not there");
  const of: Entry = { ...start, body: { ...start.body, ...identity } };
  for (const entry of [...part.slice(0, -1), of]) viewer.apply(entry);
  const stops = stopping({ onSignal: () => () => undefined }, viewer, { say: () => undefined });
  stops.now("SIGINT");
  expect(program.killed).toBe(false);
  stops.now("SIGINT");
  expect(await killed).toEqual([null, "SIGKILL"]);
});

describe("at each entry", () => {
  test.each<[string, number, string, string, string, number]>([
    ["ask", 1, "proxy", "queued", "question: red or blue?", 0],
    ["workspace", 1, "proxy", "queued", "question: red or blue?", 0],
    ["start", 1, "proxy", "running", "question: red or blue?", 0],
    ["turn", 1, "proxy", "queued", "its last turn failed: out of tune; question: red or blue?", 0.5],
    ["start", 2, "proxy", "running", "its last turn failed: out of tune; question: red or blue?", 0.5],
    ["escalate", 1, "human", "waiting for the human", "which colour?", 1],
    ["human-reply", 1, "proxy", "queued", "the human replied: green", 1],
    ["start", 3, "proxy", "running", "the human replied: green", 1],
    ["respond", 1, "proxy", "ended", "answered: they said green", 1.5],
  ])("status after %s %i: with the %s, %s, since the entry that brought it there", (...row) => {
    const [what, n, agent, state, why, usd] = row;
    const part = upTo(what, n);
    const view = find(part, /^escalation:/u);
    expect(view).toMatchObject({ thread: CONVERSATION, agent, state, why });
    expect(view?.spent.usd).toEqual({ spent: usd, unknown: 0 });
    const begun = state === "queued" && usd === 0 ? upTo("ask-step") : part;
    expect(view?.since).toBe(begun.at(-1)?.at);
  });

  test("status names the turn that runs by its number in the log, also when a lost one has used a number up", () => {
    const part = upTo("start");
    const [start] = part.slice(-1);
    if (start?.kind !== "start") throw new Error("no turn has started");
    expect(find(part, /^escalation:/u)).toMatchObject({ turn: 1, turns: 0 });
    const resume: Entry = { ...start, kind: "resume", body: { since: start.at } };
    expect(find([...part, resume], /^escalation:/u)).toMatchObject({ turn: null, turns: 0 });
    const again: Entry = { ...start, body: { ...start.body, turn: 2 } };
    expect(find([...part, resume, again], /^escalation:/u)).toMatchObject({ turn: 2, turns: 0 });
  });

  test.each<[string, number, string]>([
    ["ask", 1, "waiting for mail"],
    ["start", 1, "waiting for mail"],
    ["escalate", 1, "waiting for the human"],
    ["human-reply", 1, "waiting for mail"],
  ])("the asker after %s %i: %s, for the answer", (what, n, state) => {
    expect(find(upTo(what, n), /EXECUTE/u)).toMatchObject({ state, why: "for the answer to q1.1.1" });
  });

  test.each<[string, number, string, readonly string[]]>([
    ["ask", 1, `is with the proxy: "red or blue?"`, ["ask", "ask-step"]],
    ["start", 1, `is with the proxy, whose turn 1 runs: "red or blue?"`, ["start", "ask", "ask-step"]],
    ["turn", 1, `is with the proxy: "red or blue?"`, ["turn", "ask", "ask-step"]],
    ["escalate", 1, `waits for the human: "which colour?"`, ["escalate", "turn", "ask", "ask-step"]],
    ["human-reply", 1, `is with the proxy: "green"`, ["human-reply", "act"]],
    ["start", 3, `is with the proxy, whose turn 3 runs: "green"`, ["start", "human-reply", "act"]],
    ["respond", 1, `was answered: "they said green"`, ["respond", "turn", "human-reply", "act"]],
  ])("why after %s %i: it %s", (what, n, words, causes) => {
    const { standing, chain } = whyThread([...stepsOf(upTo(what, n))], CONVERSATION)!;
    expect(standingLine(CONVERSATION, standing)).toBe(`${CONVERSATION} ${words}`);
    const names = chain.map(({ entry }) => (entry.kind === "fire" ? entry.body.rule : entry.kind));
    expect(names.slice(0, causes.length)).toEqual(causes);
  });

  test("why after a withdrawal: the mark, and its reason", () => {
    const standing = { kind: "answered", text: "[WITHDRAW]\nnobody wants it" } as const;
    expect(standingLine(CONVERSATION, standing)).toBe(
      `${CONVERSATION} was answered: "[WITHDRAW] nobody wants it"`,
    );
  });

  test.each<[string, string]>([
    ["ask", "is with the proxy (when_unsure): red or blue?"],
    ["escalate", "waits for the human (when_unsure): which colour?"],
    ["human-reply", "is with the proxy, the human has replied (when_unsure): green"],
  ])("step after %s: it %s", (what, words) => {
    const { after } = [...stepsOf(upTo(what))].at(-1)!;
    const lines = soupTree(after, [CONVERSATION]).filter(({ text }) => text.includes(CONVERSATION));
    expect(lines).toEqual([{ text: `   └─ ${CONVERSATION}  ${words}`, touched: true }]);
  });
});

test("the tree has the conversation below its asker, with its turns and its cost", () => {
  const now = new Date(upTo("human-reply").at(-1)!.at);
  const lines = treeLines(viewAt(upTo("human-reply")), { width: 200, rows: Infinity, now, costs: true });
  expect(lines[1]).toMatch(/^└─ · lead {2}EXECUTE {2}waiting for mail /u);
  expect(lines[2]).toBe(
    `   └─ ○ proxy  ${CONVERSATION}  queued  2 turns  0ms  1.00 USD  the human replied: green`,
  );
});

test("a question that nobody has asked is not known", () => {
  expect(whyThread([...stepsOf(entries)], "escalation:q9.9.9")).toBeUndefined();
});
