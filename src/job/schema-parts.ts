/** Pieces that the shapes of a job file and of a role share. An error text continues "<key> …", so that a mistake reads as a sentence. */
import { z } from "zod";
import { DURATION_PATTERN, parseDuration } from "./duration.ts";

/** What a job or a skill may be called: lower-case words joined by hyphens. */
export const LOWER_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** What an agent may be called; checked with the other names, in cross-check.ts. */
export const AGENT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

/** Text that is not empty. */
export const text = (must: string) => z.string({ error: must }).min(1, must);

/** Text of a pattern. */
export const named = (pattern: RegExp, must: string) => z.string({ error: must }).regex(pattern, must);

/** A path, written in full. */
export const writtenPath = (must: string) =>
  text(must).regex(/^[^~]/, "must be written in full: ~ is not expanded");

/** One of several words. */
export const oneOf = <const T extends readonly string[]>(words: T) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });

const DURATION = "must be a duration with its unit, such as 90s, 30m or 2h, and at most 24d";

/** A duration; milliseconds in the output. */
export const duration = () =>
  z
    .string({ error: DURATION })
    .regex(DURATION_PATTERN, { error: DURATION, abort: true })
    .transform((written, context) => {
      const millis = parseDuration(written);
      if (millis !== undefined) return millis;
      context.issues.push({ code: "custom", input: written, message: DURATION });
      return z.NEVER;
    });

/** Words of a command line. */
export const commandWords = () =>
  z.array(z.string({ error: "must be text; put it in quotes" })).min(1, "must name a program");

/** The name of an agent. */
export const agentName = named(AGENT_NAME, "must be the name of an agent");

/** The name of a skill. */
export const skillName = named(
  LOWER_NAME,
  "must be the name of a skill: lower-case letters, digits and hyphens",
);

/** Networks that a program may reach. */
export const network = oneOf(["none", "loopback", "full"]);

/** Names of environment variables that are passed on. */
export const variableNames = z.array(
  named(
    /^(?!CFA_)[A-Za-z_][A-Za-z0-9_]*$/,
    "must be the name of an environment variable; cfa itself sets those with CFA_",
  ),
);
