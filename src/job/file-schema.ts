/**
 * The shape of job.yaml: every key with its type, its default and what it means (docs/job.md).
 *
 * F1. Every key has a default but `request` and one agent.
 * F2. Unknown keys are mistakes, also those of later versions: a key that is accepted works.
 * F3. An error text continues "<key> …", so that a mistake reads as a sentence; what spans keys is in cross-check.ts.
 */
import { z } from "zod";
import { POLICIES } from "../soup/message.ts";
import { agentSchema } from "./agent-schema.ts";
import { LIVE_STATES } from "./machine.ts";
import { pricesSchema } from "./price-schema.ts";
import {
  AGENT_NAME,
  LOWER_NAME,
  agentName,
  commandWords,
  duration,
  named,
  oneOf,
  skillName,
  text,
  writtenPath,
} from "./schema-parts.ts";

/** An artifact is a file at the root of the workspace. */
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

const whole = (min: number) => {
  const must = `must be a whole number, ${min} or more`;
  return z.int({ error: must }).min(min, must);
};

const stateOf = (defaultSkill: string, phase: string) =>
  z
    .strictObject({
      agent: agentName.optional().meta({ description: "Who leads the state; the only agent, else lead." }),
      skill: skillName.default(defaultSkill).meta({ description: "Skill that the lead works by." }),
      escalation: oneOf(POLICIES).default("when_unsure").meta({
        description: "How often the human is consulted about questions asked in this state.",
      }),
      state_timeout: duration().optional().meta({
        description:
          "Longest time in the state from one entry to it, counted like budget.wall; expiry is a failure of the state.",
      }),
    })
    .prefault({})
    .meta({ description: phase });

const artifact = (name: string, description: string) =>
  named(FILE_NAME, "must be a plain file name, such as INTENT.md").default(name).meta({ description });
const given = (artifact: string) =>
  text("must be the path of a file")
    .optional()
    .meta({ description: `File with the ${artifact} to start from.` });

/** Schema of `notify`, in job.yaml and in the user's own configuration. */
export const notifySchema = z
  .strictObject({
    run: commandWords()
      .optional()
      .meta({ description: "Program and arguments; the question comes as JSON on standard input." }),
    url: z
      .url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" })
      .optional()
      .meta({ description: "Address that the question is posted to as JSON." }),
  })
  .refine(({ run, url }) => (run === undefined) !== (url === undefined), "must have run or url, one of them");

/** Schema of job.yaml; its output has the defaults filled in. */
export const jobFileSchema = z
  .strictObject({
    version: z
      .literal(1, { error: "must be 1, the version of job files that this cfa reads" })
      .default(1)
      .meta({
        description: "Version of the file format.",
      }),
    name: named(LOWER_NAME, "must be lower-case letters and digits in words joined by hyphens")
      .max(40, "must have at most 40 letters")
      .default("job")
      .meta({ description: "First part of the job's id and of its branch cfa/<job>." }),
    request: text("must be text that says what is wanted")
      .refine((written) => written.trim() !== "", "must be text that says what is wanted")
      .meta({ description: "What is wanted, in words." }),
    repository: writtenPath("must be the path of a folder").default(".").meta({
      description: "Git repository, relative to job.yaml; --repo overrides it.",
    }),
    base: named(/^[^-\s]\S*$/, "must name a commit, branch or tag")
      .default("HEAD")
      .meta({
        description: "Commit that the work starts from.",
      }),
    start: oneOf(LIVE_STATES).default("INTENT").meta({
      description: "First state; PLAN and EXECUTE need the artifacts of the states before, in given.",
    }),
    deliver: oneOf(["branch", "merge", "pr-ready"]).default("branch").meta({
      description:
        "What becomes of the result: left on the branch cfa/<job>, merged into the base branch, or one commit ready for review.",
    }),
    human: named(LOWER_NAME, "must be the name of a human (lower-case letters, digits and hyphens), or none")
      .max(40, "must have at most 40 letters")
      .default("default")
      .meta({
        description: "Who answers questions, and whose memory the proxy has; with none they have nobody.",
      }),
    proxy: agentName.optional().meta({
      description: "Agent that stands for the human in questions; the one called proxy, if there is one.",
    }),
    artifacts: z
      .strictObject({
        intent: artifact("INTENT.md", "What INTENT writes."),
        plan: artifact("PLAN.md", "What PLAN writes."),
        summary: artifact("WORK_SUMMARY.md", "What EXECUTE writes about its work."),
      })
      .prefault({})
      .meta({ description: "Names of the job's own files at the root of the workspace." }),
    given: z
      .strictObject({ intent: given("intent"), plan: given("plan") })
      .prefault({})
      .meta({ description: "Artifacts that the operator supplies, as files relative to job.yaml." }),
    agents: z
      .record(z.string(), agentSchema)
      .refine((agents) => Object.keys(agents).length > 0, "must have at least one agent")
      .meta({
        description: "The agents, by name.",
        minProperties: 1,
        propertyNames: { pattern: AGENT_NAME.source },
      }),
    states: z
      .strictObject({
        INTENT: stateOf("intent-alignment", "Agreeing on what is wanted."),
        PLAN: stateOf("planning", "Deciding how it is done."),
        EXECUTE: stateOf("execute", "Doing it."),
      })
      .prefault({})
      .meta({ description: "The three live states." }),
    limits: z
      .strictObject({
        fan_out: whole(1).default(3).meta({ description: "Most open children of one thread." }),
        concurrency: whole(1).default(4).meta({ description: "Most programs running at a time." }),
        timeout: duration()
          .prefault("10m")
          .meta({ description: "Longest turn, from the start of its program." }),
        stall: duration().optional().meta({
          description:
            "Longest silence of a running turn; unless set, 5m for agents with adapter: files, and off for others.",
        }),
        retries: whole(0).default(2).meta({
          description: "Failures that a state or a child survives; the next one ends it. 0 allows none.",
        }),
        backtracks: whole(0).default(5).meta({ description: "Most returns to an earlier state." }),
        max_turns: whole(1)
          .default(20)
          .meta({ description: "Most turns of a lead from one entry to its state." }),
      })
      .prefault({})
      .meta({ description: "Bounds on the work; a change of them leaves the job's id as it is." }),
    budget: z
      .strictObject({
        usd: z
          .number({ error: "must be an amount of US dollars" })
          .positive("must be more than 0")
          .optional()
          .meta({
            description: "Most money, US dollars.",
          }),
        tokens: whole(1).optional().meta({ description: "Most tokens." }),
        turns: whole(1).optional().meta({ description: "Most turns of all agents." }),
        wall: duration().optional().meta({
          description:
            "Longest time that the job runs; time in which it is parked, or in which no process runs it, does not count.",
        }),
      })
      .prefault({})
      .meta({ description: "What the job may spend; spent, it is parked (exit 5). Unlimited where absent." }),
    prices: pricesSchema,
    deadline: duration().optional().meta({ description: "Longest life of the job; then it is FAILURE." }),
    notify: notifySchema.optional().meta({
      description:
        "How the human is told of a question outside of cfa; before that of the user's own configuration.",
    }),
    over_cap: oneOf(["refuse", "wait"]).default("refuse").meta({
      description: "A dispatch above limits.fan_out is refused, or waits for a later close of the same turn.",
    }),
    status_tokens: z
      .union([z.literal(1), z.literal(2)], { error: "must be 1 or 2" })
      .default(1)
      .meta({ description: "Words of the status file that are honoured; 2 adds no-change-needed." }),
    hooks: z
      .strictObject({
        before_run: text("must be a shell script").optional().meta({
          description: "Shell script before the first turn of a dispatch; a failing one fails the turn.",
        }),
        after_run: text("must be a shell script").optional().meta({
          description: "Shell script after a turn that ends with an outcome, a status word or a failure.",
        }),
        timeout: duration().prefault("1m").meta({ description: "Longest run of a hook." }),
      })
      .prefault({})
      .meta({ description: "Shell scripts of the operator, run in the tree of the turn." }),
    workspaces: writtenPath("must be the path of a folder").optional().meta({
      description:
        "Folder for the worktrees, relative to job.yaml; by default below .cfa/ of the repository.",
    }),
  })
  .meta({ title: "job.yaml", description: "A job of cfa." });

/** job.yaml with its defaults filled in, before anything that it names is looked up. */
export type JobFile = z.output<typeof jobFileSchema>;
