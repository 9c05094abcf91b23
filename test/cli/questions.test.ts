/** Questions without a terminal: exit code 4, answers from other processes, resuming. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { JobView } from "../../src/cli/view/job-view.ts";
import {
  APPROVE,
  cfa,
  cfaWith,
  entriesOf,
  here,
  keptRepository,
  repository,
  shellJob,
  start,
} from "./fixture.ts";

/** Asks in INTENT, and keeps the answer in INTENT.md. */
const ASKS = `message=$(cat)
case "$CFA_STATE $message" in
  "INTENT [answer"*) echo "$message" >INTENT.md ;;
  INTENT*) cfa ask "Which colour?"; exit ;;
esac
${APPROVE}`;

async function waiting(repo = repository()): Promise<{ top: string; job: string; question: string }> {
  const top = await repo;
  shellJob(top, { lead: ASKS });
  const said = await cfa(top, "run");
  expect(said.code).toBe(4);
  const [, question = "", command = ""] = /^ {2}(\S+): Which colour\?\n {4}(.*)$/m.exec(said.out) ?? [];
  const job = /^(\S+) waits for a human/.exec(said.out)?.[1] ?? "";
  expect(command).toBe(`cfa answer ${question} TEXT --job ${job}`);
  expect(said.out).toContain(`then: cfa resume ${job}`);
  return { top, job, question };
}

test("the run ends with exit code 4, the answer comes from another process, resume finishes", async () => {
  const { top, job, question } = await waiting();
  const status = JSON.parse((await here(top, "status", "--json")).out) as JobView;
  expect(status.questions).toMatchObject([{ id: question, text: "Which colour?" }]);
  expect(status.threads.children[0]).toMatchObject({ agent: "lead", state: "waiting for the human" });

  expect((await here(top, "run")).code).toBe(4);

  expect(await cfa(top, "answer", question, "blue")).toMatchObject({
    code: 0,
    out: `the answer is kept; nobody runs ${job}, go on with: cfa resume ${job}`,
  });
  const second = await here(top, "answer", question, "red");
  expect(second).toMatchObject({ code: 2, out: "" });
  expect(second.err).toContain("has an answer already");

  expect((await cfa(top, "resume")).code).toBe(0);
  const late = await here(top, "answer", question, "red");
  expect(late.code).toBe(2);
  expect(late.err).toContain("has been answered already");
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  expect(
    entries.flatMap(({ kind, body }) => (kind === "act" ? [[body.verb, body.text, body.result]] : [])),
  ).toEqual([["answer", "blue", "answered"]]);
});

test("a fork names itself in the commands that it prints for its questions", async () => {
  const { top, job } = await waiting();
  const lines = (await here(top, "log", "--jsonl")).out.split("\n");
  const running = lines.findIndex((line) => line.includes('"kind":"start"')) + 1;
  const { code, out, err } = await cfa(top, "fork", job, "--at", String(running));
  expect(code).toBe(4);
  const [, fork = ""] = /^(\S+) goes on from entry/.exec(err) ?? [];
  expect(fork).toMatch(new RegExp(`^${job}-at-`));
  const named = [...`${out}\n${err}`.matchAll(/cfa answer \S+ TEXT --job (\S+)/g)];
  expect(named.map(([, of]) => of)).toEqual([fork, fork]);
});

test.each(["file", "-"])("an answer of several lines from %s", async (from) => {
  const { top, question } = await waiting();
  const text = "blue,\nbut not too dark\n";
  writeFileSync(join(top, "answer.txt"), text);
  const words = from === "file" ? ["--file", "answer.txt"] : ["-"];
  expect((await cfaWith({ cwd: top, input: text }, "answer", question, ...words)).code).toBe(0);
  expect((await cfa(top, "resume", "--quiet")).code).toBe(0);
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  expect(entries.flatMap(({ kind, body }) => (kind === "act" ? [body.text] : []))).toEqual([text]);
});

test("inbox --watch tells of a question each time that it is put to the human, and an answer to an earlier time counts for no later one", async () => {
  const top = await repository();
  shellJob(top, { lead: ASKS, proxy: 'echo "proxy: $(cat)"' });
  expect((await cfa(top, "run")).code).toBe(4);
  const inbox = start(top, "inbox", "--watch");
  await inbox.seen("Which colour?");
  expect((await cfa(top, "answer", "q1.1.1", "blue")).code).toBe(0);
  expect((await cfa(top, "resume")).code).toBe(4);
  await inbox.seen("blue");
  inbox.kill("SIGKILL");
  const late = await here(top, "answer", "q1.1.1", "red", "--exchange", "1");
  expect(late.code).toBe(2);
  expect(late.err).toContain("is put to you in another exchange now: read it again");
  expect((await cfa(top, "answer", "q1.1.1", "dark", "--exchange", "2")).code).toBe(0);
  expect((await here(top, "answer", "q1.1.1", "darker")).err).toContain("has an answer already");
});

describe("what is no answer to an open question is refused with a sentence and exit code 2", () => {
  let top: string;
  let question: string;
  beforeAll(async () => {
    const kept = await keptRepository();
    ({ top, question } = await waiting(Promise.resolve(kept.top)));
    return kept.remove;
  });

  test.each([
    [["nope", "x"], "has a question nope"],
    [["nope", "x", "--job", "nope"], "there is no job nope"],
    [["QUESTION"], "say what: cfa answer"],
    [["QUESTION", "x", "--exchange", "2"], "in another exchange now"],
    [["QUESTION", "x", "--exchange", "first"], 'is a number from 1 on, not "first"'],
    [["QUESTION", "--no"], "an answer that begins with a dash: cfa answer ID -- TEXT"],
    [["QUESTION", " "], "the answer is empty"],
    [["QUESTION", "x", "--file", "y"], "not from both"],
    [["QUESTION", "--file", "no-such-file"], "cannot be read"],
  ])("answer %j", async (words, says) => {
    const said = await here(top, "answer", ...words.map((word) => (word === "QUESTION" ? question : word)));
    expect(said).toMatchObject({ code: 2, out: "" });
    expect(said.err).toContain(says);
  });
});
