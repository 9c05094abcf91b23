import { cfaMatchers, deliver, run, type ScriptedAgent, soup, terminate } from "../../src/testing.ts";
import { expect, test } from "vitest";

expect.extend(cfaMatchers);

// The lead has a writer write, sends the first draft back, and closes the conversation on the second.
const lead: ScriptedAgent = ({ body }) => {
  if (body === "go") return [deliver("writer", "t1", "write")];
  return body === "draft" ? [deliver("writer", "t1", "shorter")] : [terminate("t1")];
};
const writer: ScriptedAgent = ({ body }) => [deliver("lead", "t0", body === "write" ? "draft" : "final")];
const start = soup("Idle(lead,t0) ‖ Mailbox(lead,t0,[go])", { roster: { lead: ["writer"] } });

test.each([1, 2, 3, 4, 5])("in any order (seed %d) both drafts are read and nothing is left open", (seed) => {
  const played = run(start, { agents: { lead, writer }, seed });
  expect(played).toReduceTo("Idle(lead,t0) ‖ Mailbox(lead,t0,[]) ; closed t1");
  expect(played).toSatisfyInvariants();
  const read = played.events.flatMap((one) =>
    one.kind === "fired" && one.rule === "wake" ? one.produced : [],
  );
  expect(read.flatMap((one) => (one.kind === "Run" && one.agent === "lead" ? one.message.body : []))).toEqual(
    ["go", "draft", "final"],
  );
});
