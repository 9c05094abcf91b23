/**
 * The shape of an agent in job.yaml: what all have in common, and what each adapter adds (docs/job.md). The laws of file-schema.ts
 * hold here, too.
 */
import { z } from "zod";
import { scriptStepsSchema } from "../runtime/agents/script-steps.ts";
import { TOOL_NAME } from "../runtime/agents/tool-names.ts";
import { needsKeys } from "./dependency-keys.ts";
import { filesKeys } from "./files-agent.ts";
import { roleFileSchema } from "./role/role-file-schema.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import {
  agentName,
  commandWords,
  duration,
  named,
  network,
  oneOf,
  skillName,
  text,
  variableNames,
} from "./schema-parts.ts";

const role = {
  role: z
    .union([text("must be the path of a role"), roleFileSchema])
    .optional()
    .meta({
      description:
        "Role of the agent (docs/roles.md): the path of a folder or file, relative to job.yaml, or its keys. What stands beside it goes before it.",
    }),
  roster: z.array(agentName).default([]).meta({ description: "Agents that this one may dispatch work to." }),
  skill: skillName.optional().meta({ description: "Skill that the agent works by when it is dispatched." }),
  fallback: agentName.optional().meta({
    description: "Agent that stands in for this one in the turn after one of its turns has failed.",
  }),
};

const tool = z
  .strictObject({
    name: named(TOOL_NAME, "must be the name of a tool: a letter, then letters, digits, - and _").meta({
      description: "Name under which it is published beside the tools of cfa.",
    }),
    description: text("must say what the tool does").meta({ description: "What it does, for the agent." }),
    schema: text("must be the path of a file").meta({
      description: "File with the JSON Schema of its arguments, relative to job.yaml.",
    }),
    run: commandWords().meta({
      description:
        "Program and arguments, as in run of the agent; it gets the arguments as JSON on standard input.",
    }),
    timeout: duration().prefault("1m").meta({ description: "Longest call." }),
  })
  .meta({ description: "A program that the agent may call as a tool." });

const program = {
  sandbox: sandboxSchema.default("required").meta({
    description:
      "Boundary around the program: required refuses to start without one, preferred takes what the machine offers, advisory takes none.",
  }),
  network: network.default("none").meta({
    description:
      "Network that the program may reach inside a boundary; without one (advisory) nothing enforces it.",
  }),
  env: variableNames
    .default([])
    .meta({ description: "Environment variables that the program sees beside PATH and the CFA_ ones." }),
};

const commandAgent = z
  .strictObject({
    adapter: z
      .literal("command")
      .optional()
      .meta({ description: "Runs a program for each turn; the default." }),
    run: commandWords().meta({
      description:
        "Program and arguments. A file beside job.yaml becomes its absolute path; the working directory is the workspace.",
    }),
    ...role,
    ...program,
    prompt: oneOf(["message", "full"]).default("message").meta({
      description:
        "What it reads on standard input: its message, or, for models, in a first turn also skill, tools and status protocol.",
    }),
    tools: z.array(tool).default([]).meta({ description: "Tools of its own, beside those of cfa." }),
  })
  .meta({ title: "command", description: "An agent that is a program." });

const filesAgent = z
  .strictObject({
    adapter: z.literal("files").meta({ description: "Gives work and takes results as files." }),
    run: commandWords().meta({
      description:
        "Program and arguments. A file beside job.yaml becomes its absolute path; the working directory is the home of the conversation.",
    }),
    ...role,
    ...program,
    ...filesKeys,
    ...needsKeys,
  })
  .meta({ title: "files", description: "A program that speaks the file-based protocol." });

const scriptAgent = z
  .strictObject({
    adapter: z.literal("script").meta({ description: "Plays declared steps inside cfa." }),
    steps: scriptStepsSchema.meta({ description: "What the agent does, one step a turn." }),
    ...role,
  })
  .meta({ title: "script", description: "An agent that plays declared steps, for examples and tests." });

/** Schema of one agent; its `adapter` says which. */
export const agentSchema = z.discriminatedUnion("adapter", [commandAgent, filesAgent, scriptAgent]);
