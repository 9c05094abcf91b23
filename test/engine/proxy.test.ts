/** The proxy: an agent that stands for the human in questions, under every policy (CfA §7, docs/escalation.md). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/persistence/entry.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  approve,
  bodies,
  EXECUTE,
  finish,
  type Finished,
  gate,
  inExecute,
  type Keys,
  makePlace,
  namesIn,
  notes,
  reached,
  runJob,
  shell,
  startJob,
  type Started,
  write,
} from "./fixture.ts";

/** A job in which questions are asked in EXECUTE under a policy, with an agent called proxy. */
const job = (escalation: string, more: Keys = {}): Keys => ({
  ...EXECUTE,
  agents: {
    lead: shell("cat", { roster: ["worker"] }),
    worker: shell("cat"),
    proxy: shell("cat"),
  },
  ...more,
  states: { EXECUTE: { escalation } },
});

/** A lead that asks once and approves with the answer as reason. */
const asker: Script = async (turn) => {
  if (turn.message.kind === "answer") return turn.outcome("APPROVED_WORK", turn.message.body);
  await turn.ask("red or blue?");
  return undefined;
};

/** What the asker was told. */
const told = (entries: readonly Entry[]): string | undefined =>
  bodies(entries, "fire").findLast(({ rule }) => rule === "respond")?.choice?.a?.body;

/** The stages of every question, in order: the firings of the rules of escalation. */
const stages = (entries: readonly Entry[]): readonly string[] =>
  bodies(entries, "fire").flatMap(({ rule }) =>
    ["ask", "send-ask", "escalate", "human-reply", "respond"].includes(rule) ? [rule] : [],
  );

/** Turns of the proxy as `number result`. */
const proxyTurns = (entries: readonly Entry[]): readonly string[] =>
  bodies(entries, "turn").flatMap(({ thread, turn, result }) =>
    thread.startsWith("escalation:") ? [`${turn} ${result}`] : [],
  );

/** Answers every question that the human is asked, in the order in which they are asked. */
async function humanSays(started: Started, ...answers: readonly string[]): Promise<readonly string[]> {
  const asked: string[] = [];
  for await (const entry of started.run) {
    const [fire] = bodies([entry], "fire");
    if (fire?.rule !== "escalate") continue;
    const text = answers[asked.length] ?? "enough";
    asked.push(fire.choice?.y?.body ?? "");
    await started.run.answer(fire.at["e"] ?? "", text);
  }
  return asked;
}

async function withHuman(
  keys: Keys,
  scripts: Readonly<Record<string, Script>>,
  ...answers: readonly string[]
): Promise<Finished & { readonly asked: readonly string[] }> {
  const started = await startJob(keys, scripts);
  const [asked, finished] = await Promise.all([humanSays(started, ...answers), finish(started)]);
  return { ...finished, asked };
}

describe.concurrent("the proxy answers", () => {
  test("when_unsure: by itself, and the human is not asked", async () => {
    const { entries, job: read } = await runJob(job("when_unsure"), {
      lead: asker,
      proxy: (turn) => turn.respond("red, as always"),
    });
    expect(told(entries)).toBe("red, as always");
    expect(stages(entries)).toEqual(["ask", "respond"]);
    expect(read.record.machine.state).toBe("DONE");
    expect(bodies(entries, "transition").at(-1)?.reason).toBe("red, as always");
  });

  test("never: from its own resources", async () => {
    const { entries } = await runJob(job("never"), { lead: asker, proxy: (turn) => turn.respond("blue") });
    expect(told(entries)).toBe("blue");
    expect(stages(entries)).toEqual(["ask", "respond"]);
  });

  test("after the human: it asks them in its own words, and is called again with theirs", async () => {
    const seen: string[] = [];
    const proxy: Script = async (turn) => {
      seen.push(turn.prompt);
      if (turn.message.kind === "human") return turn.respond(`they said: ${turn.message.body}`);
      await turn.ask("the lead wants a colour: which?");
      return undefined;
    };
    const { entries, asked } = await withHuman(job("always"), { lead: asker, proxy }, "green");
    expect(asked).toEqual(["the lead wants a colour: which?"]);
    expect(told(entries)).toBe("they said: green");
    expect(stages(entries)).toEqual(["ask", "escalate", "human-reply", "respond"]);
    expect(seen[1]).toContain("You asked the human: the lead wants a colour: which?\nThe human: green");
  });

  test("in a dialog of several rounds; what it prints without a call is put to the human as it stands", async () => {
    const proxy: Script = async (turn) => {
      if (turn.turn === 3) return turn.respond("dark green");
      return turn.turn === 1 ? "which colour?" : `dark or light ${turn.message.body}?`;
    };
    const { entries, asked } = await withHuman(job("when_unsure"), { lead: asker, proxy }, "green", "dark");
    expect(asked).toEqual(["which colour?", "dark or light green?"]);
    expect(told(entries)).toBe("dark green");
    expect(proxyTurns(entries)).toEqual(["1 ok", "2 ok", "3 ok"]);
  });

  test("with a withdrawal: the asker reads the mark and ends its state by its own record", async () => {
    const lead: Script = async (turn) => {
      if (turn.message.kind !== "answer") return void (await turn.ask("go on?"));
      const [mark, ...reason] = turn.message.body.split("\n");
      return turn.outcome(mark === "[WITHDRAW]" ? "WITHDRAW" : "APPROVED_WORK", reason.join("\n"));
    };
    const { entries, end } = await runJob(job("when_unsure"), {
      lead,
      proxy: (turn) => turn.withdraw("they want it no more"),
    });
    expect(told(entries)).toBe("[WITHDRAW]\nthey want it no more");
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(bodies(entries, "transition").at(-1)).toMatchObject({
      action: "WITHDRAW",
      reason: "they want it no more",
      origin: "skill",
    });
  });
});

describe.concurrent("its workspace", () => {
  test("is a copy of the asker's, registered and released as the conversation of the question", async () => {
    const place = makePlace();
    let workspace = "";
    const lead: Script = async (turn) => {
      if (turn.message.kind === "answer") return approve(turn);
      write(turn.workspace, "text.txt", "changed\n");
      write(turn.workspace, "INTENT.md", "the intent, sharper\n");
      return void (await turn.ask("good?"));
    };
    const proxy: Script = async (turn) => {
      ({ workspace } = turn);
      const read = (name: string) => readFileSync(join(turn.workspace, name), "utf8");
      write(turn.workspace, "text.txt", "spoiled\n");
      return turn.respond(`${read("INTENT.md")}${existsSync(join(turn.workspace, ".git/HEAD"))}`);
    };
    const { entries, run } = await runJob(job("never"), { lead, proxy }, { place });
    expect(told(entries)).toBe("the intent, sharper\ntrue");
    const question = bodies(entries, "fire").find(({ rule }) => rule === "respond")?.at["e"] ?? "";
    const asking = bodies(entries, "turn").find(({ thread }) => thread.startsWith("state:"));
    expect(bodies(entries, "workspace").at(-1)).toEqual({
      thread: `escalation:${question}`,
      parent: asking?.thread,
      commit: asking?.commit,
      refused: null,
    });
    expect(bodies(entries, "release")).toContainEqual(
      expect.objectContaining({ thread: `escalation:${question}`, result: "dropped", ref: null }),
    );
    expect(existsSync(workspace)).toBe(false);
    expect(namesIn(join(place.top, ".cfa/jobs", run.id, "work"))).toEqual([]);
  });
});

/** What a proxy may do wrong, under a policy, and what the question comes to then. */
const CLUMSY: readonly {
  readonly what: string;
  readonly proxy: (turn: ScriptTurn) => Promise<void | string>;
  readonly why: RegExp;
}[] = [
  { what: "ends without a word", proxy: async () => "", why: /ended without a word/u },
  {
    what: "crashes",
    proxy: async () => {
      throw new Error("out of tune");
    },
    why: /out of tune/u,
  },
  {
    what: "does what only others may",
    proxy: async (turn) => void (await turn.send({ to: "worker", message: "do it" })),
    why: /you stand for the human and have no team/u,
  },
  {
    what: "leaves a call that it cannot make",
    proxy: async (turn) => {
      const outbox = join(turn.workspace, "../../turns");
      const [question = ""] = namesIn(outbox).filter((name) => name.startsWith("q"));
      write(
        join(outbox, question, String(turn.turn)),
        "0001.json",
        `{"verb":"close","thread":"dispatch:1.1.1"}`,
      );
    },
    why: /ended without a word/u,
  },
];

describe.concurrent("a proxy that fails", () => {
  for (const { what, proxy, why } of CLUMSY) {
    test(`${what}, under when_unsure: tried again within limits.retries, then the human gets the question as it stands`, async () => {
      const keys = job("when_unsure", { limits: { retries: 1 } });
      const { entries, asked } = await withHuman(keys, { lead: asker, proxy }, "yellow");
      expect(proxyTurns(entries)).toEqual(["1 failed", "2 failed"]);
      const failures = bodies(entries, "turn").flatMap(({ failure }) => failure ?? []);
      for (const failure of failures) expect(failure).toMatch(why);
      expect(asked).toEqual(["red or blue?"]);
      expect(told(entries)).toBe("yellow");
    });

    test(`${what}, under never: the asker gets an explicit error`, async () => {
      const keys = job("never", { limits: { retries: 0 } });
      const { entries } = await runJob(keys, { lead: asker, proxy });
      expect(proxyTurns(entries)).toEqual(["1 failed"]);
      expect(told(entries)).toMatch(/^The proxy of the human has failed \(.+\)\. Nobody is asked/u);
      expect(told(entries)).toMatch(why);
    });
  }

  test("once, is told why and answers in the next turn", async () => {
    const seen: string[] = [];
    const proxy: Script = async (turn) => {
      seen.push(turn.prompt);
      if (turn.turn === 1) throw new Error("out of tune");
      return turn.respond("red");
    };
    const { entries } = await runJob(job("never"), { lead: asker, proxy });
    expect(proxyTurns(entries)).toEqual(["1 failed", "2 ok"]);
    expect(seen[1]).toContain("[your last turn on this question counts as failed: out of tune]");
    expect(told(entries)).toBe("red");
  });

  test("after the human has replied: they get the question as it stands, and what they say then is the answer", async () => {
    const proxy: Script = async (turn) => {
      if (turn.turn === 1) return void (await turn.ask("a colour?"));
      throw new Error("out of tune");
    };
    const keys = job("always", { limits: { retries: 0 } });
    const { entries, asked } = await withHuman(keys, { lead: asker, proxy }, "what for?", "blue");
    expect(asked).toEqual(["a colour?", "red or blue?"]);
    expect(told(entries)).toBe("blue");
  });

  test("whose answer would leave without the human under always is told so, and has failed", async () => {
    const proxy: Script = async (turn) => {
      if (turn.turn === 1) await turn.respond("red");
      return undefined;
    };
    const keys = job("always", { limits: { retries: 0 } });
    const { entries, asked } = await withHuman(keys, { lead: asker, proxy }, "blue");
    expect(bodies(entries, "turn").flatMap(({ failure }) => failure ?? [])).toEqual([
      expect.stringContaining("under the policy always no answer leaves before the human has replied"),
    ]);
    expect(asked).toEqual(["red or blue?"]);
    expect(stages(entries)).toEqual(["ask", "escalate", "human-reply", "respond"]);
  });

  test("that asks the human under never, and under human: none, is told that nobody is asked", async () => {
    const proxy: Script = async (turn) => void (await turn.ask("help?"));
    for (const keys of [job("never"), job("when_unsure", { human: "none" })]) {
      const { entries } = await runJob({ ...keys, limits: { retries: 0 } }, { lead: asker, proxy });
      expect(stages(entries)).toEqual(["ask", "respond"]);
      expect(told(entries)).toMatch(/nobody is asked here/u);
    }
  });
});

describe.concurrent("several questions", () => {
  test("of one asker are in flight at once, and each answer stands at its own question", async () => {
    const both = gate();
    let begun = 0;
    const proxy: Script = async (turn) => {
      begun += 1;
      if (begun === 2) both.open();
      await both.passed;
      return turn.respond(`answer to ${turn.message.body}`);
    };
    const lead = inExecute(
      async (turn) => {
        await turn.ask("first?");
        await turn.ask("second?");
      },
      async () => "one more",
      approve,
    );
    const { entries, job: read } = await runJob(job("when_unsure"), { lead, proxy });
    const answers = [...read.ledger.questions.values()].map(({ text, answer }) => [text, answer]);
    expect(answers).toEqual([
      ["first?", "answer to first?"],
      ["second?", "answer to second?"],
    ]);
    expect(stages(entries).filter((rule) => rule === "respond")).toHaveLength(2);
  });

  test("share limits.concurrency with all other turns", async () => {
    let running = 0;
    let most = 0;
    const proxy: Script = async (turn) => {
      most = Math.max(most, ++running);
      await turn.respond("yes");
      running -= 1;
    };
    const lead = inExecute(
      async (turn) => {
        for (const text of ["a?", "b?", "c?"]) await turn.ask(text);
      },
      async () => "more",
      async () => "more",
      approve,
    );
    await runJob(job("never", { limits: { concurrency: 1 } }), { lead, proxy });
    expect(most).toBe(1);
  });

  test("withdrawn while the proxy works: its turn is stopped, and nothing is left of the question", async () => {
    const place = makePlace();
    const began = gate();
    const proxy: Script = (turn) =>
      new Promise((resolve) => {
        turn.signal.addEventListener("abort", () => resolve(undefined));
        began.open();
      });
    const started = await startJob(job("when_unsure"), { lead: asker, proxy }, { place });
    await reached(started.run, began);
    await started.run.withdraw("enough");
    const { end, entries, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(stages(entries)).toEqual(["ask"]);
    expect(namesIn(join(place.top, ".cfa/jobs", run.id, "work"))).toEqual([]);
  });
});

describe.concurrent("a proxy that is a program", () => {
  test("answers with cfa respond, asks with cfa ask, and has a conversation of its own", async () => {
    const line = `if grep -q "The human: " ; then cfa respond "$CFA_THREAD said green"; else cfa ask "which colour?"; fi`;
    const keys = job("always", {
      agents: { lead: shell("cat"), proxy: shell(line) },
    });
    const { entries, asked } = await withHuman(keys, { lead: asker }, "green");
    expect(asked).toEqual(["which colour?"]);
    expect(told(entries)).toMatch(/^escalation:q\S+ said green$/u);
    expect(bodies(entries, "start").filter(({ thread }) => thread.startsWith("escalation:"))).toHaveLength(2);
    expect(notes(entries)).toEqual([]);
  });
});
