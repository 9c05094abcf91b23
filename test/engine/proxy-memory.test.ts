/** The memory of the human in a job: what is noted, who is told of it, and what a crash leaves of it (docs/escalation.md). */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openEngine } from "../../src/engine/engine.ts";
import { memoryFile, memoryOf } from "../../src/engine/human-memory.ts";
import type { Remembered } from "../../src/persistence/human-memory.ts";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  EXECUTE,
  finish,
  gate,
  type Keys,
  makeEngine,
  makePlace,
  notes,
  type Place,
  reached,
  runJob,
  shell,
  startJob,
  until,
  write,
} from "./fixture.ts";

const job = (escalation: string, more: Keys = {}): Keys => ({
  ...EXECUTE,
  agents: { lead: shell("cat"), proxy: shell("cat") },
  ...more,
  states: { EXECUTE: { escalation } },
});

const asker =
  (text: string): Script =>
  async (turn) => {
    if (turn.message.kind === "answer") return turn.outcome("APPROVED_WORK", turn.message.body);
    await turn.ask(text);
    return undefined;
  };

async function remembered({ top }: Place, human = "default"): Promise<readonly Remembered[]> {
  const memory = memoryOf(top, human);
  const all = await memory.list();
  await memory.close();
  return all;
}

/** Runs a job in which the human is asked `question`, as it stands or by a proxy, and says `answer`. */
async function answered(place: Place, keys: Keys, question: string, answer: string, proxy?: Script) {
  const scripts = { lead: asker(question), ...(proxy === undefined ? {} : { proxy }) };
  const started = await startJob(keys, scripts, { place, fresh: true });
  const { at } = await until(started.run, "fire", ({ rule }) => rule === "escalate");
  await started.run.answer(at["e"] ?? "", answer);
  return finish(started);
}

describe.concurrent("what is noted", () => {
  test("every question with its context, the proxy's view and the human's answer", async () => {
    const place = makePlace();
    const proxy: Script = async (turn) => {
      if (turn.message.kind === "human") return turn.respond("dark green");
      await turn.ask("which green?");
      return undefined;
    };
    const { job: read } = await answered(place, job("always"), "what colour?", "the dark one", proxy);
    expect(await remembered(place)).toEqual([
      expect.objectContaining({
        id: 1,
        job: read.record.id,
        text: "what colour?",
        view: "which green?",
        answer: "the dark one",
        context: expect.stringMatching(/^lead on state:.*:EXECUTE:1 under always, in job .*: make it$/u),
      }),
    ]);
  });

  test("also without a proxy, and of the human whom the job names; what the proxy answers alone is told apart", async () => {
    const place = makePlace();
    const alone: Keys = { ...job("when_unsure", { human: "ada" }), agents: { lead: shell("cat") } };
    await answered(place, alone, "tea?", "coffee");
    await runJob(
      job("when_unsure", { human: "ada" }),
      { lead: asker("milk?"), proxy: (turn) => turn.respond("no") },
      { place },
    );
    expect((await remembered(place, "ada")).map(({ text, view, answer }) => [text, view, answer])).toEqual([
      ["tea?", null, "coffee"],
      ["milk?", "no", null],
    ]);
    expect(existsSync(memoryFile(place.top, "default"))).toBe(false);
  });

  test("nothing, where there is no human, or nobody has asked", async () => {
    const place = makePlace();
    await runJob(job("never"), { lead: approve }, { place });
    await runJob(
      job("when_unsure", { human: "none" }),
      { lead: asker("who?"), proxy: (turn) => turn.respond("nobody") },
      { place },
    );
    expect(existsSync(join(place.top, ".cfa/humans"))).toBe(false);
  });

  test("once, however often the log is read; a memory that was lost is made again from the log", async () => {
    const place = makePlace();
    const engine = makeEngine({ bus: "sqlite" });
    const asked = gate();
    const proxy: Script = async (turn) => {
      if (turn.turn === 1) return void (await turn.ask("a colour?"));
      asked.open();
      return new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve(undefined)));
    };
    const started = await startJob(job("always"), { lead: asker("colour?"), proxy }, { place, engine });
    const { at } = await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.answer(at["e"] ?? "", "blue");
    await reached(started.run, asked);
    await engine.close();
    expect(await remembered(place)).toHaveLength(1);
    rmSync(join(place.top, ".cfa/humans"), { recursive: true });

    const again = openEngine();
    const run = await again.resume(place.top, started.run.id, {
      agents: adapters({ lead: asker("colour?"), proxy: (turn) => turn.respond(turn.message.body) }),
    });
    const { entries } = await finish({ place, engine: again, run });
    await again.close();
    expect((await remembered(place)).map(({ text, answer }) => [text, answer])).toEqual([
      ["colour?", "blue"],
    ]);
    expect(bodies(entries, "fire").findLast(({ rule }) => rule === "respond")?.choice?.a?.body).toBe("blue");
  });
});

describe.concurrent("who is told", () => {
  test("the proxy, of what bears on the question, and nobody else", async () => {
    const place = makePlace();
    await answered(
      place,
      { ...job("when_unsure"), agents: { lead: shell("cat") } },
      "which colour?",
      "SECRETLY blue",
    );
    const prompts: string[] = [];
    const seen: string[] = [];
    const lead: Script = async (turn) => {
      seen.push(turn.prompt);
      if (turn.message.kind === "answer") return turn.outcome("APPROVED_WORK", turn.message.body);
      return void (await turn.ask("a colour, again?"));
    };
    const proxy: Script = async (turn) => {
      prompts.push(turn.prompt);
      for (const name of readdirSync(turn.workspace)) expect(name).not.toBe(".cfa");
      return turn.respond("as before");
    };
    const { entries } = await runJob(job("when_unsure"), { lead, proxy }, { place });
    expect(prompts[0]).toContain(`asked "which colour?"; the human said "SECRETLY blue"`);
    expect(seen.join("\n")).not.toContain("SECRETLY");
    expect(JSON.stringify(entries)).not.toContain("SECRETLY");
  });

  test("the correction, not what was corrected", async () => {
    const place = makePlace();
    await answered(place, { ...job("when_unsure"), agents: { lead: shell("cat") } }, "which colour?", "blue");
    const memory = memoryOf(place.top, "default");
    await memory.correct(1, "red", "ada", new Date(0).toISOString());
    await memory.close();
    let prompt = "";
    const proxy: Script = async (turn) => {
      ({ prompt } = turn);
      return turn.respond("red");
    };
    await runJob(job("when_unsure"), { lead: asker("which colour?"), proxy }, { place });
    expect(prompt).toContain(`the human said "red"`);
    expect(prompt).not.toContain("blue");
  });

  test("a memory that cannot be read holds nothing up, and the log says so", async () => {
    const place = makePlace();
    write(place.top, ".cfa/humans/default.db", "no database, but a text that is longer than a header");
    const { entries, end } = await runJob(
      job("when_unsure"),
      {
        lead: asker("which colour?"),
        proxy: (turn) => turn.respond("red"),
      },
      { place },
    );
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const said = notes(entries).filter((text) => text.startsWith("the memory of the human could not be"));
    expect(said).toEqual([
      expect.stringMatching(/could not be read: .*default\.db/u),
      expect.stringMatching(/could not be written: .*default\.db/u),
    ]);
  });
});

describe.concurrent("an answer", () => {
  /** Crashes on its first answer, then does as `then` says. */
  const forgetful = (then: Script): Script => {
    let crashed = false;
    return async (turn) => {
      if (turn.message.kind === "answer" && !crashed) {
        crashed = true;
        throw new Error("killed");
      }
      return then(turn);
    };
  };

  test("that was lost with its turn is delivered once more to who asks the same again; nobody is asked twice", async () => {
    let turns = 0;
    const { entries, job: read } = await runJob(job("when_unsure"), {
      lead: forgetful(asker("which colour?")),
      proxy: (turn) => turn.respond(`red ${++turns}`),
    });
    expect(turns).toBe(1);
    expect(read.ledger.questions.size).toBe(1);
    expect(bodies(entries, "transition").at(-1)?.reason).toBe("red 1");
    expect(notes(entries)).toContainEqual(expect.stringMatching(/^it asks again what was answered as q/u));
  });

  test("is not given to another question, nor to who has worked on it and asks anew", async () => {
    let turns = 0;
    const proxy: Script = (turn) => turn.respond(`answer ${++turns}`);
    const other = forgetful(async (turn) => {
      if (turn.message.kind === "answer") return turn.outcome("APPROVED_WORK", turn.message.body);
      return void (await turn.ask(turn.message.kind === "recovery" ? "another?" : "which colour?"));
    });
    const { entries } = await runJob(job("when_unsure"), { lead: other, proxy });
    expect(bodies(entries, "transition").at(-1)?.reason).toBe("answer 2");

    turns = 0;
    const twice: Script = async (turn) => {
      if (turn.message.body === "answer 2") return turn.outcome("APPROVED_WORK", "answer 2");
      return void (await turn.ask("good now?"));
    };
    const again = await runJob(job("when_unsure"), { lead: twice, proxy });
    expect(again.job.ledger.questions.size).toBe(2);
  });
});
