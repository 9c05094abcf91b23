/** Messages of file-based agents, as real programs: to the dispatcher, to siblings, to the human (docs/files-dependencies.md). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Script } from "../../src/runtime/agents/script-turn.ts";
import { approve, bodies, finish, namesIn, notes, read, runJob, startJob, until } from "./fixture.ts";
import { filesAgent, homeOf, jobOf, sendAll, workOf } from "./files-fixture.ts";

const messagesIn = (home: string) =>
  Object.fromEntries(
    namesIn(join(home, "messages")).map((file) => [file, JSON.parse(read(home, `messages/${file}`))]),
  );

describe("to the dispatcher", () => {
  test("each is a mail that says from whom, for whom, what kind and what; the summary comes as well, and last", async () => {
    const heard: string[] = [];
    const worker = filesAgent(
      "tell parent update 'half done' 001; tell lead data_ready outbox/x 002; echo > outbox/x",
    );
    const lead: Script = async (turn) => {
      if (turn.turn === 1) return sendAll(turn, ["worker"]);
      heard.push(turn.message.body);
      return turn.message.body.startsWith("worker is done") ? approve(turn) : turn.sendNone();
    };
    const done = await runJob(jobOf({ worker }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    const mail = (type: string, text: string) =>
      `[${type} from worker for lead]\n{"from":"worker","to":"lead","timestamp":"2026-01-15T10:30:00Z","type":"${type}","content":{"text":"${text}"}}`;
    expect(heard).toEqual([mail("update", "half done"), mail("data_ready", "outbox/x"), "worker is done"]);
  });

  test("what is malformed is ignored and named in the log; the turn is good", async () => {
    const worker = filesAgent(
      [
        "echo > outbox/x",
        "echo no > messages/worker_to_lead_001.json",
        "ln -s /etc/passwd messages/worker_to_lead_002.json",
        "mkfifo messages/worker_to_lead_003.json",
        "tell nobody update hi 004",
      ].join("\n"),
    );
    const lead: Script = (turn) => (turn.turn === 1 ? sendAll(turn, ["worker"]) : approve(turn));
    const done = await runJob(jobOf({ worker }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(notes(done.entries).filter((note) => note.startsWith("messages/"))).toEqual([
      "messages/worker_to_lead_001.json is no JSON: ignored",
      "messages/worker_to_lead_002.json is a link, which is not followed: ignored",
      "messages/worker_to_lead_003.json is no regular file: ignored",
      "messages/worker_to_nobody_004.json goes to nobody: there are human, parent: ignored",
    ]);
  });

  test("a turn that fails has said nothing; tried again, it says it", async () => {
    const heard: string[] = [];
    const worker = filesAgent(
      "tell parent update hello 001; [ -e workspace/x ] || { touch workspace/x; exit 3; }; echo > outbox/x",
    );
    const lead: Script = (turn) => {
      if (turn.turn === 1) return sendAll(turn, ["worker"]);
      heard.push(turn.message.body.split("\n")[0] ?? "");
      return turn.message.body.startsWith("worker is done") ? approve(turn) : turn.sendNone();
    };
    const done = await runJob(jobOf({ worker }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(workOf(done.entries)).toEqual(["start worker", "failed worker", "start worker", "ok worker"]);
    expect(heard).toEqual(["[update from worker for lead]", "worker is done"]);
  });
});

describe("to the human", () => {
  test("a question is one of cfa; the turn may end before the work, and the answer lies in messages/ in the next", async () => {
    const worker = filesAgent(
      [
        "if [ ! -e messages/human_to_worker_001.json ]; then tell human question 'which colour?' 001; exit 0; fi",
        "cp messages/human_to_worker_001.json outbox/answer.json",
      ].join("\n"),
    );
    const lead: Script = (turn) => (turn.turn === 1 ? sendAll(turn, ["worker"]) : approve(turn));
    const started = await startJob(jobOf({ worker }), { lead });
    const { choice } = await until(started.run, "fire", ({ rule }) => rule === "ask-step");
    expect(choice?.x?.body).toBe("which colour?");
    const question = choice?.e ?? "";
    await started.run.answer(question, "red", "tester");
    const done = await finish(started);
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(JSON.parse(read(homeOf(done, done.entries, "worker"), "outbox/answer.json"))).toMatchObject({
      from: "human",
      to: "worker",
      type: "answer",
      content: { question, text: "red" },
    });
    expect(
      bodies(done.entries, "turn")
        .filter(({ agent }) => agent === "worker")
        .map(({ work }) => work?.state),
    ).toEqual(["running", "completed"]);
  });
});

describe("between siblings", () => {
  const ASKER = filesAgent(
    [
      "if [ ! -e messages/helper_to_asker_001.json ]; then tell helper question 'how many?' 001; exit 0; fi",
      "cp messages/helper_to_asker_001.json outbox/answer.json",
    ].join("\n"),
  );
  const HELPER = filesAgent(
    ["echo > outbox/x", "[ ! -e messages/asker_to_helper_001.json ] || tell asker answer seven 001"].join(
      "\n",
    ),
  );

  test("a program that dispatches passes a message on by cfa send, as the documentation shows", async () => {
    const page = readFileSync(new URL("../../docs/files-dependencies.md", import.meta.url), "utf8");
    const forward = /```sh\n(mail=.*?)```/su.exec(page)?.[1] ?? "exit 1";
    const lead = [
      "set -e",
      'if [ "$CFA_TURN" = 1 ]; then cfa send --to helper help; cfa send --to asker ask; exit 0; fi',
      forward,
      'case $mail in *"asker is done"*) cfa outcome APPROVED_WORK --reason good ;; *) cfa send --none ;; esac',
    ].join("\n");
    const roster = ["helper", "asker"];
    const keys = jobOf({ helper: HELPER, asker: ASKER });
    const done = await runJob(
      {
        ...keys,
        agents: {
          lead: { run: ["sh", "-c", lead], sandbox: "advisory", roster },
          helper: HELPER,
          asker: ASKER,
        },
      },
      {},
    );
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    const home = homeOf(done, done.entries, "asker");
    expect(JSON.parse(read(home, "outbox/answer.json"))).toMatchObject({
      from: "helper",
      to: "asker",
      type: "answer",
      content: { text: "seven" },
    });
    expect(Object.keys(messagesIn(home))).toEqual(["asker_to_helper_001.json", "helper_to_asker_001.json"]);
  });

  test("a file-based dispatcher passes it on by copying the file under the next number", async () => {
    const chief = filesAgent(
      [
        'forward() { [ ! -e "messages/$1_001.json" ] || [ -e "messages/$1_002.json" ] || cp "messages/$1_001.json" "messages/$1_002.json"; }',
        "if [ ! -e workspace/sent ]; then touch workspace/sent; cfa send --to helper help; cfa send --to asker ask; exit 0; fi",
        "forward asker_to_helper; forward helper_to_asker",
        "[ -e messages/asker_to_chief_001.json ] || { cfa send --none; exit 0; }",
        "echo > outbox/x",
      ].join("\n"),
      { roster: ["helper", "asker"] },
    );
    const lead: Script = (turn) => (turn.turn === 1 ? sendAll(turn, ["chief"]) : approve(turn));
    const done = await runJob(jobOf({ chief, helper: HELPER, asker: ASKER }), { lead });
    expect(done.end).toEqual({ kind: "ended", state: "DONE" });
    expect(JSON.parse(read(homeOf(done, done.entries, "asker"), "outbox/answer.json"))).toMatchObject({
      from: "helper",
      content: { text: "seven" },
    });
  });
});
