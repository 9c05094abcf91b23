/**
 * What agents may send and receive, compared with who dispatches whom: what would be refused at every turn is a mistake of the job.
 * What a turn may send is enforced again when it calls (src/runtime/admission.ts).
 */
import type { LiveState } from "../machine.ts";
import type { Problem } from "../mistakes.ts";
import type { Role } from "./role.ts";

/** Problems of rosters and leads with the kinds of messages of their roles. */
export function checkKinds(
  rosters: ReadonlyMap<string, readonly string[]>,
  leads: readonly (readonly [LiveState, string])[],
  roles: ReadonlyMap<string, Role>,
): readonly Problem[] {
  const takesNoTask = (agent: string): boolean => roles.get(agent)?.receives.includes("task") === false;
  const ofRosters = [...rosters].flatMap(([agent, roster]) => [
    ...ofOwner(agent, roster, roles.get(agent)),
    ...roster.flatMap((name, index) =>
      takesNoTask(name)
        ? [problem(agent, index, `the roster of ${agent} names ${name}, whose role receives no task`)]
        : [],
    ),
  ]);
  const ofLeads = [...rosters.keys()].flatMap((agent): readonly Problem[] => {
    const states = leads.flatMap(([state, lead]) => (lead === agent ? [state] : []));
    if (states.length === 0 || !takesNoTask(agent)) return [];
    const sentence = `${agent} leads ${states.join(", ")}, but its role receives no task`;
    return [
      {
        path: ["agents", agent, "role"],
        sentence,
        hint: "add task to receives of the role, or name another lead",
      },
    ];
  });
  return [...ofRosters, ...ofLeads];
}

/** Whoever has a roster sends tasks and gets replies. */
function ofOwner(agent: string, roster: readonly string[], role: Role | undefined): readonly Problem[] {
  if (role === undefined || roster.length === 0) return [];
  const missing = [
    ...(role.sends.includes("task") ? [] : ["its role sends no task"]),
    ...(role.receives.includes("reply") ? [] : ["its role receives no reply"]),
  ];
  return missing.map((what) => problem(agent, undefined, `${agent} has a roster, but ${what}`));
}

function problem(agent: string, index: number | undefined, sentence: string): Problem {
  const path = ["agents", agent, "roster", ...(index === undefined ? [] : [index])];
  return { path, sentence, hint: "change sends or receives of the role, or the roster" };
}
