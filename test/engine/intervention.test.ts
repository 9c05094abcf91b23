/** What a person may do to a running job besides answering: interrupt, tell, pause, withdraw a conversation (docs/human.md). */
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../src/runtime/agents/port.ts";
import type { Script, ScriptTurn } from "../../src/runtime/agents/script-turn.ts";
import {
  adapters,
  approve,
  bodies,
  EXECUTE,
  finish,
  firings,
  gate,
  git,
  inExecute,
  mailOf,
  makeEngine,
  makePlace,
  reached,
  refsBelow,
  shell,
  startJob,
  transitions,
  until,
} from "./fixture.ts";

/** Works until the turn is stopped. */
const forever = (turn: ScriptTurn): Promise<string> =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve("late")));

describe.concurrent("an interrupt", () => {
  test("names the abandoned message to the agent and in the log; the one before it, too, when it is interrupted again", async () => {
    const prompts: string[] = [];
    const begun = [gate(), gate()];
    const started = await startJob(EXECUTE, {
      lead: (turn) => {
        prompts.push(turn.prompt);
        begun[turn.turn - 1]?.open();
        return turn.turn < 3 ? forever(turn) : approve(turn);
      },
    });
    for (const [at, one] of begun.entries()) {
      await reached(started.run, one);
      await started.run.interrupt(`instead ${at + 1}`);
    }
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const [first = "", ...later] = prompts;
    expect(first).not.toContain("[abandoned");
    expect(later).toEqual([
      expect.stringMatching(/^\[human\]\ninstead 1\n\n\[abandoned: [^\]]*\]\nmake it\n/u),
      expect.stringMatching(/^\[human\]\ninstead 2\n\n\[abandoned: [^\]]*\]\n\[human\]\ninstead 1$/u),
    ]);
    expect(bodies(entries, "interrupt").map(({ message, abandons }) => [message.body, abandons?.id])).toEqual(
      [
        ["instead 1", expect.stringMatching(/^task:state:/u)],
        ["instead 2", bodies(entries, "interrupt")[0]?.message.id],
      ],
    );
  });

  test("of somebody idle abandons nothing", async () => {
    const prompts: string[] = [];
    const started = await startJob(EXECUTE, {
      lead: inExecute(
        async (turn) => void (await turn.ask("may I?")),
        (turn) => {
          prompts.push(turn.prompt);
          return approve(turn);
        },
      ),
    });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.interrupt("never mind");
    const { entries } = await finish(started);
    expect(prompts).toEqual(["[human]\nnever mind"]);
    expect(bodies(entries, "interrupt")).toEqual([
      expect.not.objectContaining({ abandons: expect.anything() }),
    ]);
  });

  test("of a program that ignores SIGINT and SIGTERM runs on the new message, once, in the same session and workspace", async () => {
    const line = `message=$(cat); echo "$CFA_SESSION $CFA_TURN" >>turns
      case "$message" in *"go on"*) ;; *) trap '' INT TERM; echo deaf; sleep 1000 & wait; while :; do sleep 1000; done ;; esac
      mkdir -p .cfa; echo '{"outcome": "APPROVED_WORK", "reason": "ok"}' >.cfa/outcome.json; cp turns done.txt`;
    const deaf = gate();
    const onTurnEvent = (_thread: string, event: TurnEvent) => {
      if (event.kind === "line" && event.text === "deaf") deaf.open();
    };
    const started = await startJob({ ...EXECUTE, agents: { lead: shell(line) } }, {}, { onTurnEvent });
    await reached(started.run, deaf);
    await started.run.interrupt("go on");
    const { end, entries, place, run } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "turn").map(({ turn, result }) => [turn, result])).toEqual([
      [1, "aborted"],
      [2, "ok"],
    ]);
    const lines = git(place.top, "show", `cfa/${run.id}:done.txt`).split("\n");
    const [session = ""] = lines[0]?.split(" ") ?? [];
    expect(lines).toEqual([`${session} 1`, `${session} 2`]);
  });

  test("of the job between two states reaches the next lead", async () => {
    const place = makePlace();
    const bodiesHeard: string[] = [];
    const started = await startJob(
      {},
      {
        lead: (turn) => {
          if (turn.message.kind === "human") bodiesHeard.push(`${turn.state}: ${turn.message.body}`);
          return approve(turn);
        },
      },
      { place },
    );
    await until(started.run, "transition");
    await started.run.tell("all the best");
    const { end, entries } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const results = bodies(entries, "act").map(({ result }) => result);
    // The job may be over before it is looked at; it is never told that nobody is there.
    expect(["delivered", "the job has ended: DONE"]).toContain(results[0]);
    expect(bodiesHeard.length).toBe(results[0] === "delivered" ? 1 : 0);
  });

  test("with no engine running is applied at the next resume", async () => {
    const place = makePlace();
    const engine = makeEngine({});
    const begun = gate();
    const heard: string[] = [];
    const lead: Script = (turn) => {
      heard.push(turn.message.body.split("\n")[0] ?? "");
      if (turn.turn > 1) return approve(turn);
      begun.open();
      return forever(turn);
    };
    const first = await startJob(EXECUTE, { lead }, { place, engine });
    await reached(first.run, begun);
    first.run.stop();
    await first.run.end;
    await first.run.interrupt("this way");
    const run = await engine.resume(place.top, first.run.id, { agents: adapters({ lead }) });
    const { end, entries } = await finish({ place, engine, run });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    // The turn was lost with its process: its message is back in the mailbox, nothing was abandoned.
    expect(heard).toEqual(["make it", "this way", "make it"]);
    expect(firings(entries)).toContain("wake-int");
  });
});

test("mail from the human is read after what is under way, and nothing is stopped", async () => {
  const begun = gate();
  const go = gate();
  const heard: string[] = [];
  const started = await startJob(EXECUTE, {
    lead: async (turn) => {
      heard.push(turn.message.kind);
      if (turn.message.kind === "human") return approve(turn);
      begun.open();
      await go.passed;
      return "so far";
    },
  });
  await reached(started.run, begun);
  await started.run.tell("by the way");
  await until(started.run, "act");
  go.open();
  const { end, entries } = await finish(started);
  expect(end).toEqual({ kind: "ended", state: "DONE" });
  expect(heard).toEqual(["task", "human"]);
  expect(bodies(entries, "turn").map(({ result }) => result)).toEqual(["ok", "ok"]);
});

describe.concurrent("pausing", () => {
  test("lets running turns finish, starts no other, and parks the job until it is resumed", async () => {
    const place = makePlace();
    const engine = makeEngine({});
    const begun = gate();
    const go = gate();
    const lead: Script = async (turn) => {
      begun.open();
      await go.passed;
      return approve(turn);
    };
    const first = await startJob({}, { lead }, { place, engine });
    await reached(first.run, begun);
    await first.run.pause("lunch");
    await until(first.run, "park");
    go.open();
    expect(await first.run.end).toEqual({ kind: "parked", why: "lunch" });
    const again = await engine.resume(place.top, first.run.id, { agents: adapters({ lead }) });
    expect(await again.end).toEqual({ kind: "parked", why: "lunch" });
    const run = await engine.resume(place.top, first.run.id, {
      agents: adapters({ lead }),
      first: [{ kind: "park", body: { parked: false, why: "back", origin: "human" } }],
    });
    const { end, entries } = await finish({ place, engine, run });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const parked = entries.findIndex(({ kind }) => kind === "park");
    const freed = entries.findLastIndex(({ kind }) => kind === "park");
    expect(entries.slice(parked, freed).filter(({ kind }) => kind === "start")).toEqual([]);
  });
});

describe.concurrent("withdrawing a conversation", () => {
  test("ends it with everything below it, tells who opened it, and the job goes on without its work", async () => {
    const below = gate();
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
      worker: async (turn) => void (await turn.send({ to: "helper", message: "help" })),
      helper: (turn) => {
        below.open();
        return forever(turn);
      },
    });
    await reached(started.run, below);
    await started.run.withdraw("not needed", "dispatch:1.1.1");
    const { end, entries, place, run, job } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(bodies(entries, "act")).toEqual([
      expect.objectContaining({ verb: "withdraw", target: "dispatch:1.1.1", result: "withdrawn" }),
    ]);
    const gone = ["dispatch:1.1.1", "dispatch:2.1.1"];
    const dropped = bodies(entries, "release").filter(({ thread }) => gone.includes(thread));
    expect(dropped.map(({ result }) => result)).toEqual(["dropped", "dropped"]);
    expect(mailOf(entries, `state:${run.id}:EXECUTE:1`)).toEqual([
      "A person has withdrawn worker on dispatch:1.1.1, with everything below it: not needed. Its work is not merged.",
    ]);
    expect(job.ledger.thread("dispatch:1.1.1").failed).toBe(false);
    expect(refsBelow(place.top, "refs/heads").toSorted()).toEqual([`cfa/${run.id}`, "main"]);
  });

  test("ends its question, too", async () => {
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
      worker: async (turn) => void (await turn.ask("how?")),
    });
    await until(started.run, "fire", ({ rule }) => rule === "escalate");
    await started.run.withdraw("not needed", "dispatch:1.1.1");
    const { end, entries, job } = await finish(started);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(firings(entries)).toContain("term-human");
    expect([...job.ledger.questions.values()]).toEqual([
      expect.objectContaining({ ended: true, asking: false }),
    ]);
  });

  test("of the lead, of nobody, of somebody who has ended: a sentence, and nothing happens", async () => {
    const started = await startJob(EXECUTE, {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), forever),
      worker: () => "done",
    });
    const lead = `state:${started.run.id}:EXECUTE:1`;
    await until(started.run, "turn", ({ agent }) => agent === "worker");
    await started.run.withdraw("no", "dispatch:1.1.1");
    const targets = [lead, "dispatch:1.1.1", "dispatch:9.9.9", "escalation:q1.1.1"];
    for (const target of targets) await started.run.withdraw("no", target);
    await until(started.run, "act", ({ target }) => target === targets.at(-1));
    await started.run.withdraw("enough");
    const { entries } = await finish(started);
    expect(bodies(entries, "act").map(({ result }) => result)).toEqual([
      "withdrawn",
      `${lead} leads the state: withdraw the job, without --thread`,
      "dispatch:1.1.1 has ended",
      "there is no conversation dispatch:9.9.9",
      "escalation:q1.1.1 is a question: answer it, or write to who has asked",
      "withdrawn",
    ]);
    expect(transitions(entries)).toHaveLength(3);
  });

  test("with no engine running: whoever carries it out starts no turn, and stops", async () => {
    const place = makePlace();
    const engine = makeEngine({});
    const working = gate();
    const scripts: Record<string, Script> = {
      lead: inExecute(async (turn) => void (await turn.send({ to: "worker", message: "go" })), approve),
      worker: (turn) => {
        working.open();
        return forever(turn);
      },
    };
    const first = await startJob(EXECUTE, scripts, { place, engine });
    await reached(first.run, working);
    first.run.stop();
    await first.run.end;
    await first.run.withdraw("not needed", "dispatch:1.1.1");
    const acting = await engine.resume(place.top, first.run.id, {
      agents: adapters(scripts),
      actsOnly: true,
    });
    expect(await acting.end).toEqual({ kind: "stopped" });
    const run = await engine.resume(place.top, first.run.id, { agents: adapters(scripts) });
    const { end, entries } = await finish({ place, engine, run });
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    const released = entries.findIndex(({ kind }) => kind === "release");
    const resumed = entries.flatMap(({ kind }, at) => (kind === "resume" ? [at] : []));
    expect(resumed).toHaveLength(2);
    expect(released).toBeLessThan(resumed[1] ?? 0);
    expect(entries.slice(resumed[0], resumed[1]).filter(({ kind }) => kind === "start")).toEqual([]);
  });
});
