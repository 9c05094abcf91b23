/** examples/ask: three policies, driven from a second process, with keys, and without a terminal. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { JobView } from "../../../src/cli/view/job-view.ts";
import type { Entry } from "../../../src/persistence/entry.ts";
import { cfa, entriesOf, git, here, repository, start } from "../../cli/fixture.ts";
import { cfaInTerminal, POLLING, press, screen, shown } from "../../cli/terminal.ts";

const JOB = fileURLToPath(new URL("../../../examples/ask/job.yaml", import.meta.url));

const view = async (top: string) => JSON.parse((await here(top, "status", "--json")).out) as JobView;
const log = async (top: string) => entriesOf((await here(top, "log", "--jsonl")).out);

/** The escalation rules that fired, each with its question and the text of its choice. */
function escalations(entries: readonly Entry[]): (readonly string[])[] {
  return entries.flatMap(({ kind, body }) => {
    if (kind !== "fire" || !["human-reply", "respond"].includes(body.rule)) return [];
    const { a, "x'": reply } = body.choice ?? {};
    return [[body.rule, body.at["e"] ?? "", (a ?? reply)?.body.split(".")[0] ?? ""]];
  });
}

async function greeting(top: string): Promise<string> {
  const { job } = await view(top);
  return git(top, "show", `cfa/${job}:GREETING.txt`);
}

test("answered from a second process, the two questions of one turn in reverse", async () => {
  const top = await repository();
  await cfaInTerminal(top, `run ${JOB} --repo .`);
  await expect.poll(async () => (await here(top, "inbox")).out, POLLING).toContain("q1.1.2 of ask-");
  expect((await cfa(top, "answer", "q1.1.2", "French")).out).toMatch(/^answered; ask-\S+ goes on$/u);
  expect((await cfa(top, "answer", "q1.1.1", "World")).code).toBe(0);
  const late = await here(top, "answer", "q1.1.1", "Moon");
  expect(late.code).toBe(2);
  expect(late.err).toContain("question q1.1.1 of ask-");
  expect(late.err).toContain("has been answered already");
  await expect.poll(async () => (await here(top, "inbox")).out, POLLING).toContain("Formal or friendly?");
  const { out } = await here(top, "inbox", "--json");
  const { questions } = JSON.parse(out) as { questions: { id: string; default: { answer: string } }[] };
  expect(questions).toMatchObject([{ default: { answer: "friendly" }, policy: "when_unsure" }]);
  await cfa(top, "answer", questions[0]?.id ?? "", "formal");
  await expect.poll(screen, POLLING).toContain("exit code 0");
  expect(await greeting(top)).toBe("Bonjour, World!");
  expect(escalations(await log(top))).toEqual([
    ["human-reply", "q1.1.2", "French"],
    ["respond", "q1.1.2", "French"],
    ["human-reply", "q1.1.1", "World"],
    ["respond", "q1.1.1", "World"],
    ["human-reply", questions[0]?.id, "formal"],
    ["respond", questions[0]?.id, "formal"],
    ["respond", expect.any(String), "Nobody is asked in this state (escalation: never)"],
  ]);
});

test("answered with keys", async () => {
  const top = await repository();
  await cfaInTerminal(top, `run ${JOB} --repo .`);
  for (const [question, answer] of [
    ["Whom shall I greet?", "Moon"],
    ["In which language", "German"],
    ["Formal or friendly?", "friendly"],
  ] as const) {
    await expect
      .poll(shown, POLLING)
      .toMatch(new RegExp(`^\\? q\\S+ of lead .*${question.replaceAll("?", "\\?")}`, "mu"));
    await press(answer);
    await expect.poll(screen, POLLING).toContain(`> ${answer}`);
    await press("Enter");
  }
  await expect.poll(screen, POLLING).toContain("exit code 0");
  expect(await greeting(top)).toBe("Hallo, Moon!");
});

test("without a terminal: exit code 4 with the commands, answers, resume, and at last exit code 0", async () => {
  const top = await repository();
  const first = await cfa(top, "run", JOB, "--repo", ".");
  expect(first.code).toBe(4);
  const { job } = await view(top);
  expect(first.out).toContain(`cfa answer q1.1.1 TEXT --job ${job}`);
  expect(first.out).toContain(`cfa answer q1.1.2 TEXT --job ${job}`);
  expect((await view(top)).threads.children[0]?.children).toMatchObject([
    {
      thread: "escalation:q1.1.1",
      agent: "human",
      state: "waiting for the human",
      why: "Whom shall I greet?",
    },
    { thread: "escalation:q1.1.2" },
  ]);
  expect((await here(top, "answer", "q1.1.1", "Sun")).out).toContain("the answer is kept");
  expect(await view(top)).toMatchObject({
    questions: [{ id: "q1.1.2" }],
    answers: [{ question: "q1.1.1", text: "Sun" }],
  });
  const status = await here(top, "status");
  expect(status.out).toMatch(/^answers {4}q1\.1\.1: Sun {2}\(by \S+, waits to be taken up\)$/mu);
  expect((await here(top, "inbox")).out).toMatch(
    /^q1\.1\.2 of [^]*^q1\.1\.1 of \S+ {2}answered by \S+; go on with cfa resume/mu,
  );
  await here(top, "answer", "q1.1.2", "English");
  // The question of PLAN has a default answer: the run waits for that, or for somebody who is quicker.
  const resumed = start(top, "resume");
  await expect.poll(async () => (await here(top, "inbox")).out, POLLING).toContain("Formal or friendly?");
  const [open] = (await view(top)).questions;
  await cfa(top, "answer", open?.id ?? "", "formal");
  expect((await resumed.end()).code).toBe(0);
  expect(await greeting(top)).toBe("Good day, Sun!");
  expect((await here(top, "run", JOB, "--repo", ".")).code).toBe(0);
});
