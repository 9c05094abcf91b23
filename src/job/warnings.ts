/** What is allowed in a job but should be known before it runs. */
import type { JobDefinition } from "./definition.ts";
import { LIVE_STATES } from "./machine.ts";

/** Sentences for the one who checks the job; empty when there is nothing to say. */
export function warningsOf(job: JobDefinition): readonly string[] {
  return [...unconfined(job), ...warningsBesideLog(job)];
}

/** The same for the one who starts it, without what its log says anyway. */
export function warningsBesideLog(job: JobDefinition): readonly string[] {
  return [...idle(job), ...unanswerable(job), ...endless(job)];
}

function unconfined({ agents }: JobDefinition): readonly string[] {
  const programs = Object.entries(agents).flatMap(([name, agent]) =>
    agent.adapter !== "script" && agent.sandbox === "advisory" ? [name] : [],
  );
  if (programs.length === 0) return [];
  return [
    `no boundary around ${programs.join(", ")}: sandbox is advisory, programs can reach whatever you can`,
  ];
}

function idle({ agents, states, proxy }: JobDefinition): readonly string[] {
  const leads = LIVE_STATES.map((state) => states[state].agent);
  const named = Object.values(agents).flatMap(({ roster, fallback }) => [...roster, fallback ?? ""]);
  const employed = new Set([...leads, proxy ?? "", ...named]);
  const unused = Object.keys(agents).filter((name) => !employed.has(name));
  return unused.map(
    (name) => `agent ${name} leads no state, stands in no roster and is nobody's fallback: it will never run`,
  );
}

function unanswerable({ human, states }: JobDefinition): readonly string[] {
  if (human !== "none") return [];
  return LIVE_STATES.filter((state) => states[state].escalation === "always").map(
    (state) =>
      `states.${state}.escalation is always, but human is none: a question asked there could never be answered; write never or when_unsure, or give the job a human`,
  );
}

function endless({ deadline, human, states }: JobDefinition): readonly string[] {
  const asks = human !== "none" && LIVE_STATES.some((state) => states[state].escalation !== "never");
  return asks && deadline === null
    ? ["the job has no deadline: a question may wait for its human for ever"]
    : [];
}
