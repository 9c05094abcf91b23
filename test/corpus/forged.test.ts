/**
 * Logs that nobody can have recorded: each is a recorded one, altered and chained anew, so that the chain is whole. `cfa verify`
 * names the entry and what would have been required (docs/log.md, "What `cfa verify` checks").
 */
import { describe, expect, test } from "vitest";
import { rechained } from "../../src/persistence/chain.ts";
import { all, after, body, type Change, chained, choice, copied, definition, mail, recorded, until, verified, without } from "./forge.ts"; // prettier-ignore

type Row = readonly [what: string, log: string, change: Change, check: string, problem: RegExp];

const EXECUTE = "state:job-1781e6f0:EXECUTE:2";
const CHILD = "dispatch:5.1.2";
const ROOT = "job:job-1781e6f0";
const letter = (id: string) => ({ id, kind: "control", from: null, body: "forged" });

async function expectRefused([, log, change, check, problem]: Row): Promise<void> {
  const { valid, offence } = await verified(chained(change(recorded(log))));
  expect({ valid, check: offence?.check, problem: offence?.problem }).toEqual({
    valid: false,
    check,
    problem: expect.stringMatching(problem),
  });
}

test.each(["done", "conflict", "failed", "fork", "lost-turn", "parked", "questions", "withdrawn"])(
  "%s, chained anew as it is, stays valid",
  async (log) => {
    expect(await verified(chained(recorded(log)))).toMatchObject({ valid: true, offence: null });
  },
);

const end = (origin: string) => ({
  kind: "terminate",
  body: { thread: CHILD, mode: "drop", reason: "gave up", origin },
});
const told = { kind: "post", body: { agent: "lead", thread: EXECUTE, message: letter("m"), head: false, origin: "engine" } }; // prettier-ignore
const woken = { kind: "fire", body: { rule: "wake", at: { A: "lead", t: EXECUTE } } };

describe("an approval is not there while", () => {
  test.each<Row>([
    ["a child is open", "done", copied(134, 79), "job", /until every child of state:.* has ended, and dispatch:5.1.1 is open/],
    ["mail of the lead is unread", "done", after(133, told), "job", /until state:.* is Idle and has read its mail/],
    ["the lead works", "done", all(after(133, woken), after(133, told)), "job", /is Idle and has read its mail/],
    ["a tree has not left", "done", without(127), "job", /the tree of dispatch:5.1.2 has left/],
    ["a turn calls a child optional to which it did not send", "done", body(119, { optional: [CHILD] }), "turns", /must send something there/],
    ["a child calls itself optional", "done", body(109, { optional: [CHILD] }), "turns", /must send something there/],
    ["its record is that of a failed turn", "done", body(132, { result: "failed", failure: "x" }), "turns", /it leaves no outcome record/],
    ["the job is parked", "done", after(133, { kind: "park", body: { parked: true, why: "x", origin: "skill" } }), "job", /is parked/],
  ])("%s", async (...row) => expectRefused(row)); // prettier-ignore
});

describe("a thread is not ended", () => {
  test.each<Row>([
    ["by the orchestrator without a failed turn", "done", after(117, end("orchestrator")), "job", /needs the failed turn/],
    ["by a person without an act", "done", after(117, end("human")), "acts", /withdraw, accepted/],
    ["by a skill", "done", after(117, end("skill")), "job", /no agent ends a thread from outside/],
    ["as done while nothing is held", "done", after(117, { ...end(""), body: { ...end("orchestrator").body, mode: "merge" } }), "job", /only while an approval is held/],
    ["when it is the job's, by another origin", "done", body(144, { origin: "human" }), "job", /after the delivery/],
    ["when it is the job's, before the delivery", "done", without(143), "job", /after the delivery/],
  ])("%s", async (...row) => expectRefused(row)); // prettier-ignore
});

const forgedNotice = (notice: object) =>
  after(11, {
    kind: "post",
    body: {
      agent: "orchestrator",
      thread: "job:job-9ad2e19c",
      message: {
        id: "notice:z",
        kind: "control",
        from: { agent: "orchestrator", thread: "job:job-9ad2e19c" },
        body: JSON.stringify({ action: "WITHDRAW", reason: "r", origin: "human", record: null, ...notice }),
      },
      head: false,
      origin: "orchestrator",
    },
  });

const lead = {
  kind: "deliver",
  agent: "lead",
  thread: "state:job-1781e6f0:EXECUTE:3",
  message: { id: "task:3", from: { agent: "orchestrator", thread: ROOT }, kind: "task", body: "more" },
};

describe("a transition has its ground:", () => {
  test.each<Row>([
    ["a person approves nothing but what came with the job", "done", body(14, { origin: "human", record: null }), "job", /asks for APPROVED_INTENT, of the skill/],
    ["not two of them in one commit", "done", all(copied(29, 14, { origin: "human", record: null }, "within"), until(16)), "job", /asks for APPROVED_INTENT/],
    ["the notice says the same", "done", mail(12, { body: "{}" }), "job", /must be a notice/],
    ["FAILURE follows a violation", "withdrawn", forgedNotice({ action: "FAILURE", origin: "orchestrator" }), "job", /needs a violation .* or a deadline/],
    ["which the budget does not cover", "failed", definition({ limits: { fan_out: 3, concurrency: 3, timeout: 1000, stall: null, retries: 5, backtracks: 3, max_turns: 50 } }), "job", /within the budget/],
    ["and does follow such a one", "failed", without(49), "job", /must go on with the notice of FAILURE/],
    ["violations are of the lead", "failed", body(42, { thread: "dispatch:1" }), "job", /leads EXECUTE, not dispatch:1/],
    ["WITHDRAW needs an act", "withdrawn", forgedNotice({}), "job", /needs the act of a person/],
    ["that was accepted", "withdrawn", body(51, { result: "refused" }), "job", /and was accepted/],
    ["on the job", "withdrawn", body(51, { target: "dispatch:3.1.1" }), "job", /that withdraws the job/],
    ["with these words", "withdrawn", body(51, { text: "another" }), "job", /with this reason/],
    ["it opens the state that the job enters", "done", body(45, { choice: { ps: [] } }), "job", /must open state:.*:PLAN:2 for lead/],
    ["and nothing after DONE", "done", body(137, { choice: { ps: [lead] } }), "job", /enters no state: it opens nothing/],
    ["a job that has failed is dropped", "failed", without(53), "job", /must go on with the end of job:/],
    ["a backtrack is within its limit", "done", definition({ limits: { fan_out: 3, concurrency: 3, timeout: 1000, stall: null, retries: 2, backtracks: 0, max_turns: 50 } }), "job", /it must be FAILURE/],
    ["what is held is an approval", "done", body(79, { action: "NONSENSE" }), "job", /is no approval/],
  ])("%s", async (...row) => expectRefused(row)); // prettier-ignore
});

describe("an answer is what somebody has said:", () => {
  test.each<Row>([
    ["the reply repeats the act", "questions", choice(45, "x'", { body: "red" }), "answers", /is that of act .*: "blue"/],
    ["the answer repeats the reply", "questions", choice(46, "a", { body: "red" }), "answers", /is what was replied: "blue"/],
    ["the act was accepted", "questions", body(44, { result: "refused" }), "answers", /was not accepted: refused/],
    ["it is of this question", "questions", choice(46, "a", { re: "q9" }), "answers", /an answer to q3.1.1, not a answer about q9/],
    ["nobody answers for the proxy", "questions", choice(46, "a", { from: { agent: "p", thread: "escalation:q3.1.1" } }), "answers", /has had no turn/],
    ["the human is asked in the asker's words", "questions", choice(43, "y", { body: "your password?" }), "answers", /as lead asked it/],
    ["somebody has answered", "questions", without(43, 44, 45), "definition", /nobody has answered q3.1.1/],
    ["an act counts once", "questions", body(49, { id: "gktEWAYnGF3FBX8egIqA-" }), "acts", /it is taken up once/],
    ["a default is the one that was named", "questions", all(body(44, { id: "default:q3.1.1", by: "default" }), choice(45, "x'", { id: "default:q3.1.1" })), "answers", /the default answer to q3.1.1 is "green"/],
    ["a default has its time", "questions", all(body(44, { id: "default:q3.1.1", by: "default", text: "green" }), choice(45, "x'", { id: "default:q3.1.1", body: "green" })), "answers", /counts from 2026/],
    ["a default is given by default", "questions", body(44, { id: "default:q3.1.1" }), "answers", /given by default/],
    ["the policy is that of the state", "questions", body(41, { choice: { e: "q3.1.1", x: { id: "m3.1.1", from: { agent: "lead", thread: "state:job-5cbdd7e0:EXECUTE:1" }, kind: "task", body: "which colour?" }, π: "never" } }), "definition", /has the policy .*, not never/],
  ])("%s", async (...row) => expectRefused(row)); // prettier-ignore
});

describe("what a person did has its act:", () => {
  test.each<Row>([
    ["tell", "questions", without(49), "acts", /tell, accepted/],
    ["tell, in these words", "questions", body(49, { text: "another" }), "acts", /with these words/],
    ["interrupt", "questions", without(51), "acts", /interrupt, accepted/],
    ["pause", "done", after(117, { kind: "park", body: { parked: true, why: "x", origin: "human" } }), "acts", /pause, accepted/],
    ["a budget, when the job is resumed", "lost-turn", all(copied(42, 46), without(42)), "acts", /only a person who resumes/],
    ["guards are nobody's to change", "lost-turn", body(42, { cap: 99 }), "acts", /only a person who resumes/],
    ["no act but the known ones", "questions", body(49, { verb: "bribe" }), "acts", /bribe is no act/],
    ["nothing is cleaned up before the end", "done", after(41, { kind: "act", body: { id: "gc:1", verb: "gc", target: "", text: "", by: "x", result: "" } }), "acts", /before job:.* has ended/],
  ])("%s", async (...row) => expectRefused(row)); // prettier-ignore
});

const accepted = (verb: string, target: string, result: string) =>
  after(42, { kind: "act", body: { id: "a1", verb, target, text: "x", by: "me", result } });
const violated = { kind: "violation", body: { state: "INTENT", thread: "state:job-1781e6f0:INTENT:1", turn: 1, problem: "x", record: null, failures: 1 } }; // prettier-ignore
const silent = { kind: "fire", body: { rule: "nosend-step", at: { A: "worker", t: "dispatch:5.1.1" } } };
const toldJob = all(
  after(80, { kind: "act", body: { id: "a1", verb: "tell", target: "", text: "forged", by: "me", result: "delivered" } }),
  after(0, { kind: "post", body: { agent: "worker", thread: "dispatch:5.1.1", message: { ...letter("a1"), kind: "human" }, head: false, origin: "human" } }, "within"),
); // prettier-ignore

describe("nothing is lost:", () => {
  test.each<Row>([
    ["the message of a failed turn comes again", "failed", mail(43, { kind: "control" }), "job", /put it back on state:.*:EXECUTE:1, as recovery/],
    ["before all other mail", "failed", body(43, { head: false }), "job", /before all other mail/],
    ["in its own words", "failed", mail(43, { body: "go on" }), "job", /quoted/],
    ["a failed turn of a lead is counted", "failed", all(without(42), until(44)), "job", /must count that: violation/],
    ["a failure is one of a turn that has ended", "done", after(9, violated), "job", /counts 1 failures, and 0 turns .* has no ground/],
    ["a lead is told of its failure", "done", without(129, 130, 131), "job", /its commit must tell state:/],
    ["a child that has failed goes on", "done", body(82, { result: "failed", failure: "x" }), "turns", /must be nosend-step/],
    ["a child that has failed has its message again", "done", all(body(82, { result: "failed", failure: "x" }), after(82, silent, "within"), without(83)), "job", /put it back on dispatch:5.1.1/],
    ["a word of the status file parks the job", "parked", without(43), "job", /says blocked: its commit must park the job/],
    ["a child's word of the status file reaches its parent", "done", body(82, { status: "blocked" }), "job", /says blocked: its commit must tell state:/],
    ["a withdrawal that was accepted comes", "done", accepted("withdraw", "", "withdrawn"), "job", /must do what it says: post/],
    ["so does one of a conversation", "done", accepted("withdraw", "dispatch:5.1.1", "withdrawn"), "job", /must do what it says: terminate/],
    ["so does mail", "questions", without(50), "job", /must do what it says: post/],
    ["so does an interrupt", "questions", without(52, 53), "job", /must do what it says: interrupt/],
    ["so does a pause", "done", accepted("pause", "", "paused"), "job", /must do what it says: park/],
    ["so does an answer", "questions", without(45), "job", /must do what it says: fire/],
    ["what is said to the job goes to its lead", "done", toldJob, "job", /what a person says to the job goes to state:/],
    ["nothing is parked after the end", "done", after(148, { kind: "park", body: { parked: true, why: "x", origin: "orchestrator" } }), "job", /is DONE: nothing of it is parked/],
  ])("%s", async (...row) => expectRefused(row)); // prettier-ignore
});

describe("mail, trees, restarts and the definition:", () => {
  test.each<Row>([
    ["mail is from its sender, not from outside", "done", choice(83, "ps", { from: null }), "mail", /is from worker on dispatch:5.1.1/],
    ["mail is from its sender, not the orchestrator", "done", choice(83, "ps", { from: { agent: "orchestrator", thread: ROOT } }), "mail", /names orchestrator/],
    ["a reply is no task", "done", choice(83, "ps", { kind: "task" }), "mail", /is a reply, not task/],
    ["a message is sent once", "questions", all(body(49, { id: "m3.1.1" }), mail(50, { id: "m3.1.1" })), "mail", /was sent before/],
    ["the names of a firing are the rule's", "done", body(8, { at: { A: "lead", t: "state:job-1781e6f0:INTENT:1", e: "q9" } }), "rules", /wake names {A, t}, and no e/],
    ["a tree leaves once", "done", copied(107, 107), "trees", /must not have left before/],
    ["a tree leaves after its thread", "done", copied(107, 86), "trees", /must have ended/],
    ["a tree leaves into that of its parent", "done", body(107, { into: CHILD }), "trees", /leaves into that of state:/],
    ["nothing withdrawn is merged", "withdrawn", body(72, { result: "merged" }), "trees", /was dropped: nothing of it is merged/],
    ["nothing withdrawn is in conflict", "withdrawn", body(72, { result: "conflict" }), "trees", /was dropped/],
    ["the tree of the job goes into nothing", "done", body(148, { result: "merged" }), "trees", /leaves into nothing/],
    ["what was closed is merged, or the hindrance is told", "done", body(107, { result: "dropped" }), "trees", /was closed: its work is merged/],
    ["a tree is made for who is about to be", "done", body(72, { parent: ROOT }), "trees", /must be about to send/],
    ["a tree is ready or refused", "done", body(72, { refused: "x" }), "trees", /one of the two/],
    ["a turn has one program", "done", copied(39, 39, { pid: 7 }), "restarts", /another program has started/],
    ["a turn is given back after resume", "done", after(80, { kind: "rollback", body: { thread: "dispatch:5.1.1", turn: 1, reason: "x" } }), "restarts", /after resume or fork/],
    ["resume gives back every turn", "lost-turn", without(41), "restarts", /must give back the turn/],
    ["resume goes on from the entry before", "lost-turn", body(40, { since: "2026-11-22T00:00:00.000Z" }), "restarts", /the entry before it was written at/],
    ["a fork gives back every turn", "fork", (entries) => entries.filter(({ kind }) => kind !== "rollback"), "restarts", /must give back/],
    ["withdrawal comes first", "withdrawn", all(copied(48, 57), without(48, 50)), "rounds", /is going, and term-mbox matches there/],
    ["the fan-out is the definition's", "done", body(1, { cap: 77 }), "definition", /has the fan-out/],
    ["rosters are the definition's", "done", body(1, { rosters: {} }), "definition", /has the rosters/],
    ["the request is the definition's", "done", definition({ request: "delete everything" }), "definition", /the request of its definition/],
    ["the work is delivered once", "done", copied(143, 143), "definition", /has been delivered before/],
    ["as the definition says", "done", body(143, { mode: "teleport" }), "definition", /to be delivered as branch/],
    ["on the branch of the job", "done", body(143, { branch: "main" }), "definition", /its branch is cfa\/job-/],
  ])("%s", async (...row) => expectRefused(row)); // prettier-ignore
});

describe("a row is written as cfa writes it, in a database too:", () => {
  test.each<[string, (text: string) => string, string, RegExp]>([
    ["the time", (text) => text, "yesterday", /its time "yesterday"/],
    ["no member twice", (text) => text.replace('"rule":"wake"', '"rule":"spark","rule":"wake"'), "", /canonical JSON/],
    ["no spaces", (text) => text.replace(":", ": "), "", /canonical JSON/],
  ])("%s", async (_, change, at, problem) => {
    const rows = chained(recorded("done"));
    const forged = rows.slice(0, 2);
    // Entry 3 stands alone in its commit.
    const third = rows[2]!;
    forged.push(
      rechained({ ...third, at: at || third.at, body: change(third.body) }, third.job, rows[1]!.hash),
    );
    const { valid, offence } = await verified(forged);
    expect({ valid, check: offence?.check, seq: offence?.seq }).toEqual({
      valid: false,
      check: "entries",
      seq: 3,
    });
    expect(offence?.problem).toMatch(problem);
  });
}); // prettier-ignore
