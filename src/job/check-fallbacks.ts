/**
 * Who stands in for whom (docs/job.md, "Failures"): an agent of the job, neither the agent itself nor the proxy, and not round in a circle.
 *
 * F1. A circle is told once, at the agent of it that the file names first.
 */
import { unknownAgent } from "./known-agents.ts";
import type { Problem } from "./mistakes.ts";

type Agents = Readonly<Record<string, { readonly fallback?: string | undefined }>>;

/** Problems of the fallbacks; `proxy` is the agent that stands for the human. */
export function checkFallbacks(agents: Agents, proxy: string | undefined): readonly Problem[] {
  return Object.entries(agents).flatMap(([agent, { fallback = "" }]): readonly Problem[] => {
    if (fallback === "") return [];
    const path = ["agents", agent, "fallback"];
    if (fallback === agent)
      return [{ path, sentence: `${agent} cannot be its own fallback`, hint: "name another agent" }];
    const unknown = unknownAgent(path, `agents.${agent}.fallback`, fallback, agents);
    if (unknown.length > 0) return unknown;
    if (fallback === proxy) {
      const sentence = `${agent} cannot fall back on ${proxy}, who stands for the human`;
      return [{ path, sentence, hint: "name an agent that has no part in questions" }];
    }
    if (agent === proxy) {
      const sentence = `${agent} stands for the human: nobody stands in for it`;
      return [{ path, sentence, hint: "leave it out; where the proxy fails, the human is asked" }];
    }
    const circle = circleFrom(agent, agents);
    if (circle === undefined) return [];
    const sentence = `fallbacks go round in a circle: ${[...circle, agent].join(" → ")}`;
    return [{ path, sentence, hint: "leave one of them out" }];
  });
}

/** The circle of which `agent` is the first (F1). */
function circleFrom(agent: string, agents: Agents): readonly string[] | undefined {
  const seen: string[] = [agent];
  for (;;) {
    const next = agents[seen.at(-1) ?? ""]?.fallback ?? "";
    if (next === agent) break;
    if (next === "" || seen.includes(next)) return undefined;
    seen.push(next);
  }
  const first = Object.keys(agents).find((name) => seen.includes(name));
  return first === agent ? seen : undefined;
}
