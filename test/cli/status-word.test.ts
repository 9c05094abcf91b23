/** The shell one-liner of the status file, as a person meets it on the command line (docs/status-file.md). */
import { expect, test } from "vitest";
import { APPROVE, cfa, here, repository, shellJob } from "./fixture.ts";

test("parks the job with exit 5; status says who said so and why nothing runs; resume goes on", async () => {
  const top = await repository();
  shellJob(top, {
    lead: `if [ "$CFA_STATE.$CFA_TURN" = INTENT.1 ]; then mkdir -p .sortie && echo "blocked" > .sortie/status; exit; fi\n${APPROVE}`,
  });
  const parked = await cfa(top, "run", "--quiet");
  expect(parked.code).toBe(5);
  const why = /lead cannot go on without a person: blocked in \.sortie\/status, turn 1 of state:\S+:INTENT:1/;
  expect(parked.out).toMatch(why);
  expect(parked.out).toContain("go on: cfa resume");

  const status = await here(top, "status");
  expect(status.code).toBe(0);
  const [job, lead] = status.out.split("\n");
  expect(job).toMatch(/INTENT {2}1 turn .* parked: lead cannot go on/);
  expect(lead).toMatch(/‖ lead {2}INTENT {2}parked/);
  expect(lead).toMatch(why);
  expect(status.out).toMatch(/owner +nobody; go on with .*resume/);

  const { out } = await here(top, "log");
  expect(out).toMatch(/note +level=info .*"\.sortie\/status says blocked"/);

  expect((await cfa(top, "resume", "--quiet")).code).toBe(0);
  expect((await here(top, "status")).out).toMatch(/DONE {2}4 turns/);
});
