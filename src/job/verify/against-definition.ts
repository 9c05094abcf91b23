/**
 * The job against its own definition, which the first entry holds (docs/job.md).
 *
 * D1. What guards read from the first entry on is what the definition says, and the first commit ends with its request.
 * D2. A question is asked under the policy of the state; where a human is there to ask, nobody answers it unasked.
 * D3. The turns of the proxy are those of the agent that the definition names.
 * D4. Whoever runs a turn in the place of an agent is its fallback, and the turn of that thread before it failed (docs/job.md, "Failures").
 * D5. What is delivered, once and of a job that is DONE, leaves as the definition says, or as a branch with the reason.
 */
import { canonicalJson } from "../../persistence/canonical-json.ts";
import { questionOf } from "../../persistence/conversation.ts";
import type { Entry, EntryBody } from "../../persistence/entry.ts";
import type { Flaw, LogCheck, Step } from "../../persistence/verify.ts";
import type { Configuration } from "../../soup/configuration.ts";
import type { QuestionId } from "../../soup/message.ts";
import { jobDefinitionSchema } from "../definition.ts";
import { isLive } from "../machine.ts";
import { ORCHESTRATOR } from "../mail.ts";
import type { JobFacts } from "./facts.ts";

/** The check of the job's definition; `facts` are those before each entry. */
export function definitionCheck(facts: JobFacts): LogCheck {
  /** Questions to which somebody has replied. */
  const replied = new Set<QuestionId>();
  return {
    name: "definition",
    says: "the job does what its definition says",
    step: (step) => {
      const { entry } = step;
      if (entry.kind === "fire" && entry.body.rule === "human-reply") replied.add(entry.body.at["e"] ?? "");
      return against(step, facts, replied);
    },
    commit: (steps) => withoutRequest(steps, facts),
  };
}

function against(
  { entry, before }: Step,
  facts: JobFacts,
  replied: ReadonlySet<QuestionId>,
): string | undefined {
  switch (entry.kind) {
    case "open":
      return misopened(entry.body);
    case "fire":
      return wrongPolicy(entry.body, facts) ?? unasked(entry.body, facts, before, replied);
    case "start":
    case "turn":
      return strangeProxy(entry.body, facts) ?? strangeStandIn(entry.body, facts);
    case "deliver":
      return misdelivered(entry, facts);
    default:
      return undefined;
  }
}

/** See D1. */
function misopened({ definition, rosters, cap, root, job }: EntryBody<"open">): string | undefined {
  const known = jobDefinitionSchema.safeParse(definition).data;
  if (known === undefined) return "its definition is not that of a job: this cfa does not know its form";
  if (root.agent !== ORCHESTRATOR || root.thread !== `job:${job}`)
    return `the job is led by ${ORCHESTRATOR} on job:${job}`;
  if (cap !== known.limits.fan_out)
    return `its definition has the fan-out ${known.limits.fan_out}, not ${cap}`;
  const leads = [...new Set(Object.values(known.states).map(({ agent }) => agent))];
  const own = Object.entries(known.agents).map(([name, { roster }]): [string, readonly string[]] => [
    name,
    roster,
  ]);
  const wanted = canonicalJson({ ...Object.fromEntries(own), [ORCHESTRATOR]: leads });
  return canonicalJson(rosters) === wanted ? undefined : `its definition has the rosters ${wanted}`;
}

function withoutRequest(steps: readonly Step[], facts: JobFacts): Flaw | undefined {
  const first = steps[0]?.entry;
  if (first?.kind !== "open") return undefined;
  const { root, definition } = facts;
  const mail = steps.flatMap(({ entry }) => (entry.kind === "post" ? [entry] : []));
  const request = mail[0]?.body;
  const isRequest =
    mail.length === 1 &&
    request?.thread === root.thread &&
    request.message.kind === "task" &&
    request.message.from === null &&
    request.message.body === definition.request;
  return isRequest
    ? undefined
    : {
        seq: mail.at(-1)?.seq ?? first.seq,
        problem: `the first commit holds the request of its definition, to ${root.thread}, and no other mail`,
      };
}

/** See D2. */
function wrongPolicy({ choice }: EntryBody<"fire">, { machine, definition }: JobFacts): string | undefined {
  if (choice === undefined) return undefined;
  const policies = (choice.ps ?? []).flatMap((one) => (one.kind === "ask" ? [one.policy] : []));
  if (choice.π !== undefined) policies.push(choice.π);
  const wanted = definition.states[isLive(machine.state) ? machine.state : "EXECUTE"].escalation;
  const other = policies.find((policy) => policy !== wanted);
  return other === undefined
    ? undefined
    : `in ${machine.state} the definition has the policy ${wanted}, not ${other}`;
}

function unasked(
  { rule, at, choice }: EntryBody<"fire">,
  { definition }: JobFacts,
  before: Configuration,
  replied: ReadonlySet<QuestionId>,
): string | undefined {
  const { t: thread = "", e: question = "" } = at;
  if (rule !== "respond" || choice?.a?.from !== null || replied.has(question)) return undefined;
  const known = before.cell(thread)?.questions.find((one) => one.question === question);
  return definition.human === "none" || known?.policy === "never"
    ? undefined
    : `nobody has answered ${question}: it needs a turn of the proxy, or a reply`;
}

/** See D3. */
function strangeProxy(
  { thread, agent }: EntryBody<"start"> | EntryBody<"turn">,
  { definition }: JobFacts,
): string | undefined {
  if (questionOf(thread) === undefined || agent === definition.proxy) return undefined;
  return definition.proxy === undefined
    ? "its definition names no proxy"
    : `its definition has ${definition.proxy} for a proxy, not ${agent}`;
}

/** See D4. */
function strangeStandIn(
  { thread, agent, by }: EntryBody<"start"> | EntryBody<"turn">,
  { definition, failing }: JobFacts,
): string | undefined {
  if (by === undefined) return undefined;
  if (definition.agents[agent]?.fallback !== by) return `${by} is not the fallback of ${agent}`;
  return failing.has(thread)
    ? undefined
    : `${by} stands in for ${agent} after a failed turn only, and the one before on ${thread} has not failed`;
}

/** See D5. */
function misdelivered(
  { job, body }: Extract<Entry, { kind: "deliver" }>,
  { machine, delivered, definition }: JobFacts,
): string | undefined {
  if (machine.state !== "DONE") return undefined;
  if (delivered) return "the work has been delivered before";
  const { mode, branch, problem } = body;
  const wanted = problem === undefined ? definition.deliver : "branch";
  if (mode !== wanted) return `it is to be delivered as ${wanted}, not as ${mode}`;
  // What a fork has taken over was delivered by a job from whose id its own is made (docs/fork.md).
  const isOwn = branch === `cfa/${job}` || `cfa/${job}`.startsWith(`${branch}-at-`);
  return mode === "merge" || isOwn ? undefined : `its branch is cfa/${job}, not ${branch}`;
}
