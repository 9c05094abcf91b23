/**
 * The jobs whose logs make the corpus of a log format (scripts/record-corpus.mjs), each with what a person does meanwhile.
 *
 * J1. Together they hold every kind of entry.
 * J2. Agents are functions, so that no log depends on the programs of a machine.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const APPROVAL = { INTENT: "APPROVED_INTENT", PLAN: "APPROVED_PLAN", EXECUTE: "APPROVED_WORK" };
const approve = (turn) => turn.outcome(APPROVAL[turn.state], "good");

/** A lead that approves INTENT and PLAN, and in EXECUTE plays its n-th step in its n-th turn, the last one from then on. */
const inExecute =
  (...steps) =>
  (turn) =>
    turn.state === "EXECUTE" ? steps[Math.min(turn.turn, steps.length) - 1](turn) : approve(turn);

const send =
  (to, ...messages) =>
  async (turn) => {
    for (const message of messages) await turn.send({ to, message });
  };

/** Closes the child that has replied, or else plays `after`. */
const closing = (after) => (turn) =>
  turn.message.kind === "reply" ? turn.close(turn.message.from.thread) : after(turn);

/** Writes the task into a file of its name. */
const writer = (turn) => {
  writeFileSync(join(turn.workspace, `${turn.message.body}.txt`), `${turn.message.body}\n`);
  return `wrote ${turn.message.body}`;
};

/** Changes the second line of text.txt to the task. */
const editor = (turn) => {
  writeFileSync(join(turn.workspace, "text.txt"), `one\n${turn.message.body}\nthree\n`);
  return `did ${turn.message.body}`;
};

/** Works until the turn is stopped. */
const forever = (turn) =>
  new Promise((resolve) => turn.signal.addEventListener("abort", () => resolve("late"), { once: true }));

const resumed = { kind: "park", body: { parked: false, why: "resumed", origin: "human" } };
const moreMoney = { kind: "configure", body: { budget: { usd: 9 }, origin: "human" } };
const firing = (rule) => (entry) => entry.kind === "fire" && entry.body.rule === rule;

/** Approves while its children are at work: the approval is held. */
const sendBoth = async (turn) => {
  await send("worker", "first", "second")(turn);
  await approve(turn);
};

/** A plan that is made twice; two workers, one with a helper of its own; an approval that is held. */
const done = {
  name: "done",
  agents: () => ({
    lead: inExecute((turn) => {
      if (turn.thread.endsWith(":1")) return turn.outcome("REPLAN", "the plan forgets the second part");
      return turn.turn === 1 ? sendBoth(turn) : closing(approve)(turn);
    }),
    worker: async (turn) => {
      if (turn.message.kind === "reply") return turn.close(turn.message.from.thread);
      if (turn.message.body === "second") await turn.send({ to: "helper", message: "third" });
      return writer(turn);
    },
    helper: writer,
  }),
  play: (job) => job.start(),
};

const conflict = {
  name: "conflict",
  agents: () => ({
    lead: inExecute(
      send("worker", "left", "right"),
      closing((turn) => {
        if (!readFileSync(join(turn.workspace, "text.txt"), "utf8").includes("<<<<<<<")) return approve(turn);
        writeFileSync(join(turn.workspace, "text.txt"), "one\nboth\nthree\n");
        return "resolved";
      }),
    ),
    worker: editor,
  }),
  play: (job) => job.start(),
};

/** A question, an interrupt, mail of a person, a turn without an outcome, a budget that is raised. */
const questions = {
  name: "questions",
  keys: { notify: { run: ["true"] } },
  agents: () => ({
    lead: inExecute(
      async (turn) => void (await turn.ask("which colour?", { answer: "green", millis: 3_600_000 })),
      forever,
      () => "I have been told",
      approve,
    ),
  }),
  play: async (job) => {
    const run = await job.begin();
    const asked = await job.until(run, firing("escalate"));
    await run.answer(asked.body.at.e, "blue");
    const { thread } = (await job.until(run, ({ kind, seq }) => kind === "start" && seq > asked.seq)).body;
    await run.tell("mind the gap", thread);
    await job.until(run, ({ kind, body }) => kind === "act" && body.verb === "tell");
    await run.interrupt("leave it", thread);
    return job.end(run);
  },
};

/** Its engine stops in the middle of a turn, which is rolled back and run again under a larger budget. */
const lost = {
  name: "lost-turn",
  agents: () => {
    let calls = 0;
    return { lead: inExecute((turn) => ((calls += 1) === 1 ? forever(turn) : approve(turn))) };
  },
  play: async (job) => {
    const run = await job.begin();
    await job.until(run, ({ kind, body }) => kind === "start" && body.thread.includes("EXECUTE"));
    run.stop();
    await job.end(run);
    return job.start({ first: [moreMoney] });
  },
};

const withdrawn = {
  name: "withdrawn",
  agents: () => ({ lead: inExecute(send("worker", "a", "b")), worker: forever }),
  play: async (job) => {
    const run = await job.begin();
    const isWorker = ({ kind, body }) => kind === "start" && body.agent === "worker";
    await job.until(run, isWorker, 2);
    await run.withdraw("changed my mind");
    return job.end(run);
  },
};

const failed = {
  name: "failed",
  keys: { limits: { retries: 1 } },
  agents: () => ({
    lead: inExecute(() => {
      throw new Error("no ink");
    }),
  }),
  play: (job) => job.start(),
};

/** The status file of a lead parks the job; resumed, it goes on. */
const parked = {
  name: "parked",
  agents: () => ({
    lead: inExecute((turn) => {
      mkdirSync(join(turn.workspace, ".sortie"), { recursive: true });
      writeFileSync(join(turn.workspace, ".sortie/status"), "blocked\n");
      return "I need a key";
    }, approve),
  }),
  play: async (job) => {
    await job.start();
    return job.start({ first: [resumed] });
  },
};

/** Goes on from the middle of another job. */
const fork = { ...done, name: "fork", play: async (job) => job.fork(await job.start()) };

export const JOBS = [done, conflict, questions, lost, withdrawn, failed, parked, fork];
