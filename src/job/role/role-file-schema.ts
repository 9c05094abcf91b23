/**
 * The shape of a role as it is written: `role.yaml`, or the mapping under `role:` of an agent (docs/roles.md).
 *
 * R1. No key has a default: what is absent is left to the agent, or to the role that `from` names.
 */
import { z } from "zod";
import { CHANNEL_SERVER, TOOL_PATTERN } from "../../tool-check/grant.ts";
import { needsOfRole } from "../dependency-keys.ts";
import { filesKeysOfRole } from "../files-agent.ts";
import {
  LOWER_NAME,
  agentName,
  commandWords,
  duration,
  named,
  network,
  oneOf,
  skillName,
  text,
  variableNames,
  writtenPath,
} from "../schema-parts.ts";

/** What an agent may send: work to others, results to whoever dispatched it, questions. */
export const SENDABLE = ["task", "reply", "question"] as const;
/** What may be kept from an agent: work, and the results of others. All other mail is the engine's own and always arrives. */
export const RECEIVABLE = ["task", "reply"] as const;

const path = writtenPath("must be a path");

const server = z.strictObject({
  command: commandWords().meta({
    description: "Program and arguments; a file beside the role becomes its absolute path.",
  }),
  env: variableNames.optional().meta({ description: "Environment variables that the server sees." }),
});

/** Schema of a written role. */
export const roleFileSchema = z
  .strictObject({
    from: path
      .optional()
      .meta({ description: "Role whose keys hold where this one has none: its folder or file." }),
    system: text("must be the text of the system prompt")
      .optional()
      .meta({ description: "System prompt; in a folder SYSTEM.md unless given." }),
    tools: z
      .array(named(TOOL_PATTERN, "must be a tool such as Read, Bash(git) or mcp__docs__*"))
      .optional()
      .meta({ description: "Tools that the agent may use; every known one unless given." }),
    scripts: z
      .array(path)
      .optional()
      .meta({ description: "Programs that the agent gets on its PATH; in a folder the files of scripts/." }),
    skills: z
      .array(path)
      .optional()
      .meta({ description: "Folders that hold a SKILL.md; in a folder those in skills/." }),
    roster: z.array(agentName).optional().meta({ description: "Agents that this one may dispatch work to." }),
    skill: skillName.optional().meta({ description: "Skill that the agent works by when it is dispatched." }),
    fallback: agentName.optional().meta({
      description: "Agent that stands in for this one in the turn after one of its turns has failed.",
    }),
    sends: z
      .array(oneOf(SENDABLE))
      .optional()
      .meta({ description: "Kinds of messages that the agent may send; all unless given." }),
    receives: z
      .array(oneOf(RECEIVABLE))
      .optional()
      .meta({ description: "Kinds of messages that others may send it; all unless given." }),
    ...needsOfRole,
    ...filesKeysOfRole,
    network: network.optional().meta({ description: "Network that its programs and tools may reach." }),
    env: variableNames.optional().meta({ description: "Environment variables that its program sees." }),
    limits: z
      .strictObject({
        timeout: duration().optional().meta({ description: "Longest turn of the agent." }),
        stall: duration().optional().meta({ description: "Longest silence of its running turn." }),
      })
      .optional()
      .meta({ description: "Bounds on its turns, in place of those of the job." }),
    mcp: z
      .record(
        named(LOWER_NAME, "must be lower-case words joined by hyphens").refine(
          (name) => name !== CHANNEL_SERVER,
          "is the name of cfa's own server: choose another",
        ),
        server,
      )
      .optional()
      .meta({ description: `MCP servers of the agent, by name; ${CHANNEL_SERVER} is taken.` }),
  })
  .meta({ title: "role", description: "A role of an agent." });

/** A written role. */
export type RoleFile = z.output<typeof roleFileSchema>;
