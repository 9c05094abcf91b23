/** The shape of `sandbox` of an agent: how much the job insists on a boundary, and what is let in besides (docs/job.md, "The boundary"). */
import { z } from "zod";
import { SANDBOX_LEVELS } from "./definition.ts";
import { oneOf, text, writtenPath } from "./schema-parts.ts";

const exemption = z.strictObject({
  tool: text("must say which program needs it").meta({ description: "Which program needs it." }),
  path: writtenPath("must be the path of a file or folder").meta({
    description: "File or folder that is let in, relative to job.yaml.",
  }),
  reason: text("must say why").meta({ description: "Why; shown in the log." }),
  write: z
    .boolean()
    .default(false)
    .meta({ description: "It may be written, too; otherwise it is read-only." }),
});
const level = oneOf(SANDBOX_LEVELS);
/** Schema of `sandbox`: a word, or a mapping. */
export const sandboxSchema = z.union([
  level,
  z.strictObject({
    level: level.default("required").meta({ description: "As the word alone." }),
    exempt: z
      .array(exemption)
      .default([])
      .meta({ description: "Files and folders that are let in besides; log and doctor show them." }),
  }),
]);
