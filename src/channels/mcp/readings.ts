/** What the tools that only read answer: the team and the standing of a turn, from its facts alone. */
import { z } from "zod";
import { teamAfter } from "../../runtime/admission.ts";
import type { TurnFacts } from "../../runtime/agents/port.ts";
import type { OutboxEntry } from "../../runtime/outbox.ts";

const count = z.number();
const instance = z.strictObject({ agent: z.string(), thread: z.string() });

/** Schema of what {@link team} says. */
export const teamSchema = z.strictObject({
  you: instance,
  parent: instance.nullable().describe("Whoever gave you your task; null for the lead of a state."),
  agents: z.array(z.string()).describe("Agents that you may open a conversation with."),
  open: z.array(instance).describe("Conversations that you opened and that are open."),
  closed: z.array(z.string()),
  limit: count.describe("Most open conversations."),
});

/** Whom a turn may send to, after the calls that it has made so far. */
export function team(facts: TurnFacts, made: readonly OutboxEntry[]): z.infer<typeof teamSchema> {
  const { open, closed } = teamAfter(facts, made);
  return {
    you: { agent: facts.agent, thread: facts.thread },
    parent: facts.parent,
    agents: [...facts.roster],
    open: [...open].map(([thread, agent]) => ({ agent, thread })),
    closed: [...closed],
    limit: facts.cap,
  };
}

const amount = z.strictObject({
  spent: count.nullable().describe("Null: nobody has reported any."),
  complete: z.boolean().describe("False: some turns did not report theirs, and more is spent than this."),
  limit: count.nullable().describe("Null: no limit."),
});

/** Schema of what {@link jobStatus} says. */
export const jobStatusSchema = z.strictObject({
  job: z.string(),
  state: z.string(),
  thread: z.string(),
  agent: z.string(),
  turn: count,
  lead: z.boolean().describe("You lead the state, and end it with an outcome."),
  outcomes: z.array(z.string()).describe("Outcomes that you may name."),
  escalation: z.enum(["never", "when_unsure", "always"]).describe("How often the human is asked."),
  seconds: count.describe("Longest time of this turn."),
  state_turns: amount.nullable().describe("Turns of this entry to the state; null unless you lead it."),
  turns: amount,
  tokens: amount,
  usd: amount,
});

/** Where a turn stands, as it was when the turn began. */
export function jobStatus(facts: TurnFacts): z.infer<typeof jobStatusSchema> {
  const { job, state, thread, agent, turn, lead, outcomes, policy } = facts;
  const { stateTurns, turns, tokens, usd } = facts.spending;
  return {
    job,
    state,
    thread,
    agent,
    turn,
    lead,
    outcomes: [...outcomes],
    escalation: policy,
    seconds: facts.timeout / 1000,
    state_turns: stateTurns,
    turns,
    tokens,
    usd,
  };
}
