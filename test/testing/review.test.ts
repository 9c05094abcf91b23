import { cfaMatchers, deliver, run, type ScriptedAgent, soup, terminate, trace } from "../../src/testing.ts";
import { expect, test } from "vitest";

expect.extend(cfaMatchers);

// The protocol: the lead has a writer write, a draft is sent back once, then accepted and its thread closed.
const lead: ScriptedAgent = ({ body }) => {
  if (body === "go") return [deliver("writer", "t1", "write")];
  return body === "draft" ? [deliver("writer", "t1", "shorter")] : [terminate("t1")];
};
const writer: ScriptedAgent = ({ body }) => [deliver("lead", "t0", body === "write" ? "draft" : "final")];
const start = soup("Idle(lead,t0) ‖ Mailbox(lead,t0,[go])", { roster: { lead: ["writer"] } });

test.each([1, 2, 3, 4, 5])(
  "whatever comes first (seed %d), the draft is reviewed and nothing is left open",
  (seed) => {
    const played = run(start, { agents: { lead, writer }, seed });
    expect(played).toReduceTo("Idle(lead,t0) ‖ Mailbox(lead,t0,[]) ; closed t1");
    expect(played).toSatisfyInvariants();
    expect(trace(played.events)).toContain(
      "wake: Idle(lead,t0) ‖ Mailbox(lead,t0,[draft]) → Run(lead,t0,draft) ‖ Mailbox(lead,t0,[])",
    );
  },
);
