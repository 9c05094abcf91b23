/** The shape of `prices` in job.yaml (docs/cost.md). */
import { z } from "zod";

const dollars = z
  .number({ error: "must be an amount of US dollars" })
  .nonnegative("must be 0 or more")
  .max(1e6, "must be at most 1000000");

const price = z
  .strictObject({
    input: dollars.meta({ description: "US dollars for a million tokens that are read." }),
    output: dollars.meta({ description: "US dollars for a million tokens that are written." }),
    cached: dollars
      .optional()
      .meta({ description: "US dollars for a million tokens from a cache; as for input unless given." }),
  })
  .meta({ description: "A price." });

/** Schema of `prices`. */
export const pricesSchema = z
  .strictObject({
    agents: z
      .record(z.string(), price)
      .default({})
      .meta({ description: "By agent; for reports of a model that has no price, and of none." }),
    models: z
      .record(z.string(), price)
      .default({})
      .meta({ description: "By the name of a model as reports give it." }),
  })
  .prefault({})
  .meta({ description: "What tokens cost, for reports that name no money (docs/cost.md)." });
