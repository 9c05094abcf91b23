/** What turns report of their use, on its way into log, view and budgets (docs/cost.md). */
import { describe, expect, test } from "vitest";
import { JobViewer, type ThreadView } from "../../src/cli/view/job-view.ts";
import type { Draft, Entry } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  definitionOf,
  EXECUTE,
  finish,
  inExecute,
  type Keys,
  gate,
  notes,
  reached,
  runJob,
  shell,
  startJob,
} from "./fixture.ts";

const PRICES = {
  agents: { worker: { input: 1, output: 2 } },
  models: { big: { input: 10, output: 50, cached: 1 } },
};

/** What the turns of one agent were recorded with. */
const usages = (entries: readonly Entry[], agent: string) =>
  bodies(entries, "turn").flatMap((turn) => (turn.agent === agent ? [turn.usage] : []));

/** The job as `cfa status` shows it. */
function viewOf(entries: readonly Entry[]) {
  const viewer = new JobViewer();
  for (const entry of entries) viewer.apply(entry);
  return viewer.view();
}

const everyThread = (view: ThreadView): readonly ThreadView[] => [
  view,
  ...view.children.flatMap(everyThread),
];

describe.concurrent("reports", () => {
  test("of a program by `cfa usage` and by its own hand, summed up with prices", async () => {
    const line = [
      "cfa usage --input 1000 --output 100 --cached 500 --model big",
      `echo '{"usd": 0.5, "tokens": 7}' >> "$CFA_OUTBOX/usage.jsonl"`,
      "cfa outcome APPROVED_WORK --reason done",
    ].join(" && ");
    const { end, entries } = await runJob(
      { ...EXECUTE, prices: { models: PRICES.models }, agents: { lead: shell(line) } },
      {},
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(usages(entries, "lead")).toEqual([{ tokens: 1607, usd: 0.5155, models: ["big"], priced: true }]);
    expect(notes(entries)).toEqual([]);
  });

  test("by turn, thread and job; tokens and money apart", async () => {
    const { entries } = await runJob(
      { ...EXECUTE, prices: PRICES },
      {
        lead: inExecute(async (turn) => {
          await turn.usage({ usd: 0.25 });
          await turn.send({ to: "worker", message: "go" });
        }, approve),
        worker: async (turn) => {
          await turn.usage({ input: 1_000_000, output: 0 });
          return "done";
        },
      },
    );
    const view = viewOf(entries);
    const worker = everyThread(view.threads).find(({ agent }) => agent === "worker");
    const lead = everyThread(view.threads).find(({ agent }) => agent === "lead");
    expect(worker?.spent).toEqual({
      turns: 1,
      tokens: { spent: 1_000_000, unknown: 0 },
      usd: { spent: 1, unknown: 0 },
    });
    expect(lead?.spent).toEqual({
      turns: 2,
      tokens: { spent: null, unknown: 2 },
      usd: { spent: 0.25, unknown: 1 },
    });
    expect(view.spent).toEqual({
      turns: 3,
      tokens: { spent: 1_000_000, unknown: 2 },
      usd: { spent: 1.25, unknown: 1 },
    });
  });

  test("of a turn that fails, too: it was paid for", async () => {
    const { end, entries } = await runJob(
      { agents: { lead: shell("cfa usage --tokens 9; exit 3") }, limits: { retries: 0 } },
      {},
    );
    expect(end).toEqual({ kind: "ended", state: "FAILURE" });
    expect(usages(entries, "lead")).toEqual([{ tokens: 9, usd: null }]);
  });

  test("of a program that an interrupt stops: at least what it had told", async () => {
    const told = gate();
    const started = await startJob(
      {
        ...EXECUTE,
        agents: {
          lead: shell(
            `if [ "$CFA_TURN" = 1 ]; then cfa usage --tokens 9; echo told; exec sleep 600; fi; cfa outcome APPROVED_WORK --reason done`,
          ),
        },
      },
      {},
      { onTurnEvent: (_thread, event) => void (event.kind === "line" && told.open()) },
    );
    await reached(started.run, told);
    await started.run.interrupt("enough");
    const { entries } = await finish(started);
    expect(usages(entries, "lead")).toEqual([
      { tokens: 9, usd: null, partial: ["tokens"] },
      { tokens: null, usd: null },
    ]);
  });

  test("of the proxy, at its price", async () => {
    const { entries, job } = await runJob(
      {
        ...EXECUTE,
        prices: { agents: { proxy: { input: 0, output: 1 } } },
        agents: { lead: shell("cat"), proxy: shell("cat") },
      },
      {
        lead: async (turn) => {
          if (turn.message.kind === "answer") return approve(turn);
          await turn.ask("which?");
          return undefined;
        },
        proxy: async (turn) => {
          await turn.usage({ input: 5, output: 1_000_000 });
          return turn.respond("that one");
        },
      },
    );
    expect(usages(entries, "proxy")).toMatchObject([{ tokens: 1_000_005, usd: 1, priced: true }]);
    expect(job.ledger.spent.usd).toEqual({ spent: 1, unknown: 2 });
  });

  test("that are none are named in the log, and unknown", async () => {
    const line = `echo '{"tokens": "many"}' > "$CFA_OUTBOX/usage.jsonl"; echo hi; cfa outcome APPROVED_WORK --reason done`;
    const { entries } = await runJob({ ...EXECUTE, agents: { lead: shell(line) } }, {});
    expect(notes(entries)).toEqual([expect.stringMatching(/report 1 in usage\.jsonl is none/)]);
    expect(usages(entries, "lead")).toEqual([{ tokens: null, usd: null }]);
  });

  test("are refused when they say nothing, or come after the turn", async () => {
    const turns: ScriptTurn[] = [];
    const said: string[] = [];
    const lead: Script = async (turn) => {
      turns.push(turn);
      await turn.usage({ input: 5 }).catch((error: Error) => said.push(error.message));
      return approve(turn);
    };
    const { entries } = await runJob(EXECUTE, { lead });
    expect(said).toEqual([expect.stringMatching(/^the report must give input and output together/)]);
    await expect(turns[0]?.usage({ tokens: 1 })).rejects.toThrow("this turn has ended");
    expect(usages(entries, "lead")).toEqual([{ tokens: null, usd: null }]);
  });
});

describe.concurrent("exit 0 is no success by itself", () => {
  const ended = (line: string) =>
    runJob({ ...EXECUTE, limits: { retries: 0, max_turns: 1 }, agents: { lead: shell(line) } }, {});

  test.each([
    ["nothing at all", "true"],
    ["white space", "printf ' \\n\\t\\n'"],
    ["complaints alone", "echo no key >&2"],
    ["a tool that only reads", "cfa --version >/dev/null"],
    ["a report of its use", "cfa usage --tokens 5"],
    ["a change that it takes back", "touch x; rm x"],
    ["a word that is none, in the status file", "mkdir .sortie; echo done > .sortie/status"],
    ["a call that is refused", "cfa send --to nobody hello || true"],
  ])("%s is a failed turn", async (_what, line) => {
    const { entries } = await ended(line);
    expect(bodies(entries, "turn")).toMatchObject([
      { result: "failed", failure: expect.stringContaining("without a word and without any effect") },
    ]);
  });

  test.each([
    ["a word on standard output", "echo hi"],
    ["a call", "cfa send --none"],
    ["an outcome", "cfa outcome APPROVED_WORK --reason done"],
    ["a word in the status file", "mkdir .sortie; echo blocked > .sortie/status"],
    ["a change in the tree", "echo new > new.txt"],
  ])("%s alone is enough", async (_what, line) => {
    const { entries } = await ended(line);
    expect(bodies(entries, "turn")[0]).toMatchObject({ result: "ok" });
  });
});

describe.concurrent("a budget of tokens or money", () => {
  /** A lead that reports the same in each of its turns and never comes to an end. */
  const spender =
    (report: Parameters<Parameters<Script>[0]["usage"]>[0]): Script =>
    async (turn) => {
      await turn.usage(report);
      return "going on";
    };
  const parkedBy = (budget: Keys, lead: Script, more: Keys = {}) =>
    runJob({ ...EXECUTE, budget, limits: { retries: 9 }, ...more }, { lead });

  test.each<[string, Keys, Parameters<typeof spender>[0], number, string]>([
    ["tokens", { tokens: 10 }, { tokens: 4 }, 3, "the budget of 10 tokens is spent"],
    ["exactly spent", { tokens: 8 }, { tokens: 4 }, 2, "the budget of 8 tokens is spent"],
    ["money", { usd: 1 }, { usd: 0.4 }, 3, "the budget of 1 USD is spent"],
    [
      "money by prices",
      { usd: 1 },
      { input: 100_000, output: 0, model: "big" },
      1,
      "the budget of 1 USD is spent",
    ],
  ])("%s: no turn starts beyond it", async (_what, budget, report, turns, why) => {
    const { end, entries } = await parkedBy(budget, spender(report), { prices: PRICES });
    expect(end).toEqual({ kind: "parked", why });
    expect(bodies(entries, "turn")).toHaveLength(turns);
  });

  test("what is unknown is warned of once, and counts as nothing; the reason says so", async () => {
    const lead: Script = async (turn) => {
      if (turn.turn > 2) await turn.usage({ usd: 1 });
      return "going on";
    };
    const { end, entries } = await parkedBy({ usd: 1 }, lead);
    expect(end).toEqual({
      kind: "parked",
      why: "the budget of 1 USD is spent, not counting 2 turns that did not tell",
    });
    expect(bodies(entries, "note").filter(({ level }) => level === "warn")).toMatchObject([
      { text: "it did not tell all of the money that it used: budget.usd can only count what is told" },
    ]);
  });

  test("a larger one goes on", async () => {
    const keys = { ...EXECUTE, budget: { tokens: 5 } };
    const scripts: Record<string, Script> = {
      lead: async (turn) => {
        await turn.usage({ tokens: 5 });
        return turn.turn === 1 ? "not yet" : approve(turn);
      },
    };
    const parked = await runJob(keys, scripts);
    expect(parked.end).toMatchObject({ kind: "parked" });
    const first: readonly Draft[] = [
      { kind: "configure", body: { budget: { tokens: 20 }, origin: "human" } },
      { kind: "park", body: { parked: false, why: "resumed", origin: "human" } },
    ];
    const { engine, place } = parked;
    const run = await engine.start(definitionOf(place, keys), { agents: adapters(scripts), first });
    const { end, job } = await finish({ engine, place, run });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(job.ledger.spent).toMatchObject({ turns: 2, tokens: { spent: 10, unknown: 0 } });
  });

  test("an agent can ask how much is left", async () => {
    const seen: unknown[] = [];
    const line = `cfa usage --tokens 3; node -e 'console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(process.env.CFA_OUTBOX + "/turn.json")).spending.tokens))'`;
    const { entries } = await runJob(
      { ...EXECUTE, budget: { tokens: 6 }, limits: { retries: 9 }, agents: { lead: shell(line) } },
      {},
    );
    for (const { text } of bodies(entries, "turn")) seen.push(JSON.parse(text));
    expect(seen).toEqual([
      { spent: 0, complete: true, limit: 6 },
      { spent: 3, complete: true, limit: 6 },
    ]);
  });
});
