/**
 * What agents wait for, checked when the job is read (docs/files-dependencies.md): names that are known, siblings that somebody opens
 * together, an outbox where files come from one, no circle, no file in the place of another one.
 *
 * X1. It reads a lenient view of the file; what has the wrong type is told by the schema.
 * X2. Whoever may open an agent may open all that it needs; otherwise it would wait for nobody.
 */
import { z } from "zod";
import { cycleIn, type Dependency, neededBy } from "../runtime/dependencies/needs.ts";
import { placeOf } from "../runtime/dependencies/place.ts";
import { unknownAgent } from "./known-agents.ts";
import type { Problem } from "./mistakes.ts";

const words = z.array(z.string().catch("")).catch([]);
const view = z
  .object({
    adapter: z.string().catch("command"),
    roster: words,
    depends_on: z
      .array(
        z
          .object({ agent: z.string().catch(""), outputs: words, copy_to: z.string().catch("inbox/") })
          .catch({ agent: "", outputs: [], copy_to: "inbox/" }),
      )
      .catch([]),
    wait_for: words,
  })
  .catch({ adapter: "command", roster: [], depends_on: [], wait_for: [] });
const file = z.object({ agents: z.record(z.string(), view).catch({}) }).catch({ agents: {} });
type Agents = z.infer<typeof file>["agents"];

/** Files of the inbox that cfa writes itself. */
const OWN_FILES = ["inbox/instructions.md", "inbox/dependencies.json"];

/** Checks a parsed job file, of whatever shape it is; `leads` are the states with who leads each. */
export function checkNeeds(
  value: unknown,
  leads: readonly (readonly [string, string])[],
): readonly Problem[] {
  const { agents } = file.parse(value);
  const waiting = Object.entries(agents).filter(([, needs]) => neededBy(needs).length > 0);
  if (waiting.length === 0) return [];
  const unknown = waiting.flatMap(([agent, needs]) => unknownNames(agent, needs, agents));
  if (unknown.length > 0) return unknown;
  return [
    ...circle(agents),
    ...waiting.flatMap(([agent, needs]) => [
      ...leadsNeedNobody(agent, leads),
      ...withoutOutbox(needs, agent, agents),
      ...unopened(agent, needs, agents),
      ...collisions(agent, needs.depends_on),
    ]),
  ];
}

/** Every name that the agent needs, with its place in the file. */
function namesOf(agent: string, { depends_on, wait_for }: Agents[string]) {
  return [
    ...depends_on.map((one, at) => ({ name: one.agent, at: ["agents", agent, "depends_on", at, "agent"] })),
    ...wait_for.map((name, at) => ({ name, at: ["agents", agent, "wait_for", at] })),
  ];
}

function unknownNames(agent: string, needs: Agents[string], agents: Agents): readonly Problem[] {
  return namesOf(agent, needs).flatMap(({ name, at }) =>
    unknownAgent(at, `agents.${agent}.${String(at[2])}`, name, agents),
  );
}

function circle(agents: Agents): readonly Problem[] {
  const cycle = cycleIn(new Map(Object.entries(agents).map(([name, needs]) => [name, neededBy(needs)])));
  const [first, second] = cycle ?? [];
  if (cycle === undefined || first === undefined) return [];
  const place = namesOf(first, agents[first] ?? view.parse({})).find(({ name }) => name === second);
  return [
    {
      path: place?.at ?? ["agents", first],
      sentence: `agents wait for each other in a circle: ${cycle.join(" → ")}`,
      hint: "take one of these out of depends_on and wait_for",
    },
  ];
}

function leadsNeedNobody(agent: string, leads: readonly (readonly [string, string])[]): readonly Problem[] {
  const led = leads.filter(([, lead]) => lead === agent).map(([state]) => state);
  if (led.length === 0) return [];
  return [
    {
      path: ["agents", agent],
      atKey: true,
      sentence: `${agent} leads ${led.join(", ")} and cannot wait for other agents: nobody opens any beside it`,
    },
  ];
}

function withoutOutbox({ depends_on }: Agents[string], agent: string, agents: Agents): readonly Problem[] {
  return depends_on.flatMap(({ agent: needed }, at): readonly Problem[] => {
    if (needed === "" || agents[needed]?.adapter === "files") return [];
    const sentence = `${agent} depends on files of ${needed}, which has no outbox`;
    const hint = "only agents with adapter: files have one; name it in wait_for instead";
    return [{ path: ["agents", agent, "depends_on", at, "agent"], sentence, hint }];
  });
}

function unopened(agent: string, needs: Agents[string], agents: Agents): readonly Problem[] {
  const openers = Object.entries(agents).filter(([, { roster }]) => roster.includes(agent));
  return openers.flatMap(([opener, { roster }]) =>
    namesOf(agent, needs)
      .filter(({ name }) => name !== "" && !roster.includes(name))
      .map(({ name, at }) => ({
        path: at,
        sentence: `${agent} needs ${name}, and ${opener} may open ${agent} but not ${name}`,
        hint: `add ${name} to agents.${opener}.roster`,
      })),
  );
}

/** Two outputs with one place, or one in the place of a file of cfa. */
function collisions(agent: string, depends_on: readonly Dependency[]): readonly Problem[] {
  const taken = new Map(OWN_FILES.map((path) => [path, "cfa itself"]));
  return depends_on.flatMap((dependency, at) =>
    dependency.outputs.flatMap((output, index): readonly Problem[] => {
      const place = placeOf(output, dependency.copy_to);
      const by = taken.get(place);
      taken.set(place, `${output} of ${dependency.agent}`);
      if (by === undefined) return [];
      const path = ["agents", agent, "depends_on", at, "outputs", index];
      const sentence = `${output} of ${dependency.agent} would stand at ${place} in the home of ${agent}, as ${by} does`;
      return [{ path, sentence, hint: "give them different folders with copy_to" }];
    }),
  );
}
