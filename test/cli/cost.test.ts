/** What turns cost, wherever the command line shows it (docs/cost.md). */
import { expect, test } from "vitest";
import type { JobView } from "../../src/cli/view/job-view.ts";
import { APPROVE, cfa, here, repository, shellJob } from "./fixture.ts";

test("status, result, log and replay: by turn, thread and job, tokens and money apart, unknown never as zero", async () => {
  const top = await repository();
  shellJob(
    top,
    {
      lead: `case "$CFA_STATE" in
INTENT) cfa usage --input 100000 --output 2000 --cached 1000 --model big; cfa usage --input 1 --output 1 --model big ;;
PLAN) cfa usage --usd 0.004 ;;
esac
${APPROVE}`,
    },
    "prices: { models: { big: { input: 3, output: 15, cached: 0.3 } } }",
  );
  const ran = await cfa(top, "run");
  expect(ran.code).toBe(0);
  expect(ran.err).toMatch(/lead INTENT ended turn 1 in \S+ for 0\.33 USD/);
  expect(ran.err).toMatch(/lead PLAN ended turn 1 in \S+ for 0\.004 USD/);
  expect(ran.err).toMatch(/lead EXECUTE ended turn 1 in [^f\n]+$/m);
  const spent =
    "tokens at least 103002 (2 turns did not tell all), USD at least 0.33 (1 turn did not tell all)";
  expect(ran.out).toContain(`; ${spent}`);

  const { out: status } = await here(top, "status");
  expect(status).toMatch(/lead {2}INTENT {2}ended {2}1 turn {2}0\.33 USD/);
  expect(status).toMatch(/lead {2}PLAN {2}ended {2}1 turn {2}0\.004 USD/);
  expect(status).toMatch(/lead {2}EXECUTE {2}ended {2}1 turn {2}cost unknown/);
  expect(status).toContain(`spent      3 turns, ${spent}`);

  const view = JSON.parse((await here(top, "status", "--json")).out) as JobView;
  expect(view.spent).toEqual({
    turns: 3,
    tokens: { spent: 103_002, unknown: 2 },
    usd: { spent: 0.334318, unknown: 1 },
  });

  for (const words of [["log"], ["replay"]]) {
    const turns = (await here(top, ...words)).out.split("\n").filter((line) => / turn {2,}\(/.test(line));
    expect(turns.map((line) => /usage=\S+|tokens=.*/.exec(line)?.[0])).toEqual([
      "tokens=103002 usd=0.33 (by prices)",
      "tokens=unknown usd=0.004",
      "usage=unknown",
    ]);
  }
});
