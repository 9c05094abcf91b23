/** examples/proxy: a proxy that answers one question, asks the human one, and withdraws on one. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cfa, entriesOf, here, repository } from "../../cli/fixture.ts";

const JOB = fileURLToPath(new URL("../../../examples/proxy/job.yaml", import.meta.url));

test("one is answered without the human, one with them, one ends the job; status, why and memory tell of it", async () => {
  const top = await repository();
  const first = await cfa(top, "run", JOB, "--repo", ".");
  expect(first.code).toBe(4);
  expect(first.out).toContain("cfa answer q2.1.1 TEXT");
  expect((await here(top, "inbox")).out).toContain("The lead wants to know: On which day is the party?");
  expect((await here(top, "status")).out).toMatch(
    /human {2}escalation:q2\.1\.1 {2}waiting for the human {2}1 turn .*The lead wants to know/u,
  );
  expect((await here(top, "why", "escalation:q2.1.1")).out).toMatch(
    /^escalation:q2\.1\.1 waits for the human: "The lead wants to know[^]*turn 1 of proxy on escalation:q2\.1\.1 ended/u,
  );
  await here(top, "answer", "q2.1.1", "Friday the 12th");
  const last = await cfa(top, "resume");
  expect(last.code).toBe(3);
  expect(last.out).toContain("they never spend more than 100 euros");

  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  const told = entries.flatMap(({ kind, body }) =>
    kind === "fire" && body.rule === "respond" ? [body.choice?.a?.body] : [],
  );
  expect(told).toEqual([
    "friendly, as ever",
    "Friday the 12th",
    "[WITHDRAW]\nthey never spend more than 100 euros",
  ]);
  expect(entries.findLast(({ kind }) => kind === "transition")?.body).toMatchObject({
    action: "WITHDRAW",
    origin: "skill",
    reason: "they never spend more than 100 euros",
  });
  expect((await here(top, "memory")).out.split("\n").map((line) => line.split(" -> ")[1])).toEqual([
    "the proxy: friendly, as ever",
    "Friday the 12th",
    "the proxy: [WITHDRAW] they never spend more than 100 …",
  ]);
  expect((await here(top, "verify")).code).toBe(0);
});
