/** examples/anatomy: every row of its README, walked with the answers that it names. */
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { loadJobFile } from "../../../src/job/load.ts";
import { bodies, finish, git, makeEngine, makePlace, transitions } from "../../engine/fixture.ts";

const JOB = fileURLToPath(new URL("../../../examples/anatomy/job.yaml", import.meta.url));

/** Runs the example with these answers; where they end, the human withdraws. */
async function walk(answers: readonly string[]) {
  const place = makePlace();
  const engine = makeEngine();
  const { definition } = loadJobFile(JOB, { repository: place.top });
  const run = await engine.start(definition);
  const asked: string[] = [];
  for await (const entry of run) {
    const [fired] = bodies([entry], "fire");
    if (fired?.rule !== "escalate") continue;
    const answer = answers[asked.length] ?? "withdraw";
    asked.push(`${/^\w+/.exec(fired.choice?.y?.body ?? "")?.[0] ?? ""} ${answer}`);
    await run.answer(fired.at["e"] ?? "", answer);
  }
  const finished = await finish({ place, engine, run });
  return { ...finished, asked, way: transitions(finished.entries).map((one) => one.replace(/ \(.*/, "")) };
}

const FORWARD = [
  "INTENT APPROVED_INTENT PLAN",
  "PLAN APPROVED_PLAN EXECUTE",
  "EXECUTE APPROVED_WORK DONE",
] as const;

describe.concurrent("the rows of the README", () => {
  test("draft, ask, revise, assert, approve", async () => {
    const { end, asked, way, place, run } = await walk(["newcomers", "yes", "yes", "yes"]);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(asked).toEqual(["ASK newcomers", "ASSERT yes", "ASSERT yes", "ASSERT yes"]);
    expect(way).toEqual(FORWARD);
    expect(git(place.top, "show", `cfa/${run.id}:WELCOME.txt`)).toBe("Welcome!");
  });

  test("what was only asked cannot be approved", async () => {
    const { asked, way } = await walk(["yes", "yes", "yes", "yes"]);
    expect(asked).toEqual(["ASK yes", "ASSERT yes", "ASSERT yes", "ASSERT yes"]);
    expect(way).toEqual(FORWARD);
  });

  test("a correction is revised and asserted again, in every state", async () => {
    const answers = ["newcomers", "shorter", "yes", "longer", "yes", "warmer", "yes"];
    const { asked, way, place, run } = await walk(answers);
    expect(asked).toHaveLength(answers.length);
    expect(way).toEqual(FORWARD);
    expect(git(place.top, "show", `cfa/${run.id}:WELCOME.txt`)).toBe("Welcome, newcomer!");
  });

  test("after a backtrack the artifact that is there is aligned", async () => {
    const { end, asked, way, entries } = await walk([
      "newcomers",
      "yes",
      "back",
      "yes",
      "yes",
      "back",
      "yes",
      "yes",
    ]);
    expect(end).toEqual({ kind: "ended", state: "DONE" });
    expect(asked).toEqual([
      "ASK newcomers",
      "ASSERT yes",
      "ASSERT back",
      "ASSERT yes",
      "ASSERT yes",
      "ASSERT back",
      "ASSERT yes",
      "ASSERT yes",
    ]);
    expect(way).toEqual([
      "INTENT APPROVED_INTENT PLAN",
      "PLAN REALIGN INTENT",
      "INTENT APPROVED_INTENT PLAN",
      "PLAN APPROVED_PLAN EXECUTE",
      "EXECUTE REPLAN PLAN",
      "PLAN APPROVED_PLAN EXECUTE",
      "EXECUTE APPROVED_WORK DONE",
    ]);
    const aligned = bodies(entries, "fire").flatMap(({ rule, choice }) =>
      rule === "escalate" && /still/.test(choice?.y?.body ?? "") ? [choice?.y?.body.split(" ")[1]] : [],
    );
    expect(aligned).toEqual(["INTENT.md", "PLAN.md", "PLAN.md"]);
  });

  test.each([
    ["ASK", ["withdraw"]],
    ["ASSERT", ["newcomers", "withdraw"]],
    ["ASSERT", ["newcomers", "yes", "withdraw"]],
    ["ASSERT", ["newcomers", "yes", "yes", "withdraw"]],
  ])("withdraw at %s after %j", async (at, answers) => {
    const { end, asked } = await walk(answers);
    expect(end).toEqual({ kind: "ended", state: "WITHDRAWN" });
    expect(asked.at(-1)).toBe(`${at} withdraw`);
  });
});
