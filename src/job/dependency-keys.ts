/** The keys by which an agent says what it waits for, in job.yaml and in a role (docs/files-dependencies.md). */
import { z } from "zod";
import { TreeBroken } from "../runtime/workspaces/port.ts";
import { partsOf } from "../runtime/workspaces/safe-path.ts";
import { agentName, text } from "./schema-parts.ts";

/** A path below a folder of the home of an agent; a folder may be written with `/` at its end. */
function isBelow(folder: string, path: string): boolean {
  try {
    return partsOf(path.replace(/\/$/u, ""))[0] === folder;
  } catch (error) {
    if (error instanceof TreeBroken) return false;
    throw error;
  }
}

const OUTPUT = "must be a path below outbox/, such as outbox/data.json";
const PLACE = "must be inbox/ or a folder below it, such as inbox/source_data/";

const dependency = z.strictObject({
  agent: agentName.meta({ description: "Agent whose files it starts with." }),
  outputs: z
    .array(text(OUTPUT).refine((path) => isBelow("outbox", path) && path.length > "outbox/".length, OUTPUT))
    .min(1, "must name a file of outbox/")
    .meta({ description: "Files and folders of the outbox of that agent." }),
  copy_to: text(PLACE)
    .refine((path) => isBelow("inbox", path), PLACE)
    .default("inbox/")
    .meta({ description: "Folder of its own inbox to which they are copied." }),
});

const NEEDED = "must have completed before its first turn";

/** The keys of a role; those of job.yaml but for the default. */
export const needsOfRole = {
  depends_on: z
    .array(dependency)
    .optional()
    .meta({ description: `Agents that ${NEEDED}, and the files of theirs that it starts with.` }),
  wait_for: z
    .array(agentName)
    .optional()
    .meta({ description: `Agents that ${NEEDED}.` }),
};

/** The keys of job.yaml. */
export const needsKeys = {
  depends_on: z
    .array(dependency)
    .default([])
    .meta({ description: `Agents that ${NEEDED}, and the files of theirs that it starts with.` }),
  wait_for: z
    .array(agentName)
    .default([])
    .meta({ description: `Agents that ${NEEDED}.` }),
};

/** The same keys in the job as it runs. */
export const needsDefinition = {
  depends_on: z
    .array(
      z.strictObject({ agent: z.string(), outputs: z.array(z.string()).readonly(), copy_to: z.string() }),
    )
    .readonly()
    .default([]),
  wait_for: z.array(z.string()).readonly().default([]),
};
