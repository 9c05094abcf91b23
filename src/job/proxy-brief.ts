/**
 * What the proxy is told in a turn: the question, who asks, what it may do, what has been said so far, and what is known of the human
 * (docs/escalation.md).
 */
import type { Remembered } from "../persistence/human-memory.ts";
import type { ProxyBrief, View } from "../runtime/director.ts";
import type { Exchange } from "../runtime/escalation/escalations.ts";
import type { Policy } from "../soup/message.ts";
import type { Proxy } from "../soup/molecule.ts";
import { spendingOf } from "./budget.ts";
import { skillOf } from "./skills.ts";
import type { StateRecord } from "./state-record.ts";

/** Whether there is a human whom the proxy may ask under this policy. */
export function asksHuman({ definition }: StateRecord, policy: Policy): boolean {
  return policy !== "never" && definition.human !== "none";
}

/** The brief of a turn on a question. */
export function proxyBriefOf(
  record: StateRecord,
  proxy: Proxy,
  known: readonly Remembered[],
  { ledger }: Pick<View, "ledger">,
): ProxyBrief {
  const { definition, machine } = record;
  const escalation = ledger.escalations.records.get(proxy.question);
  const asked = escalation?.text ?? proxy.text.body;
  const may = asksHuman(record, proxy.policy);
  const agent = definition.proxy === undefined ? undefined : definition.agents[definition.proxy];
  const name = agent?.skill ?? "escalation";
  const skill = skillOf(name);
  const isFirst = proxy.phase === "fresh" && (escalation?.failures ?? 0) === 0;
  return {
    prompt: [
      introduction(record, proxy),
      `The question:\n${asked}`,
      `What the job is for:\n${definition.request}`,
      gateOf(proxy, may),
      saidSoFar(escalation?.exchanges ?? []),
      memoryOf(known),
      escalation === undefined || escalation.failures === 0
        ? ""
        : `[your last turn on this question counts as failed: ${escalation.failure ?? "no reason was given"}]`,
      agent?.skill == null ? "" : `Skill: ${agent.skill}.`,
    ]
      .filter((part) => part !== "")
      .join("\n\n"),
    // The prompt says how a turn ends; a model is told once how to go about it.
    instructions: isFirst ? (skill?.text ?? "") : "",
    skill: { name, file: skill?.file ?? null },
    tools: agent?.adapter === "command" ? agent.tools : [],
    spending: spendingOf(record, ledger.thread(proxy.thread), false, ledger),
    prices: definition.prices,
    artifacts: definition.artifacts,
    timeout: definition.limits.timeout,
    state: machine.state,
    asksHuman: may,
    stall: definition.limits.stall,
  };
}

function introduction({ definition, machine }: StateRecord, { agent, thread, question }: Proxy): string {
  const whom = definition.human === "none" ? "a human who is not there" : `the human "${definition.human}"`;
  return [
    `You stand for ${whom}: ${agent} on ${thread} asks them something (question ${question}, phase ${machine.state} of the job "${definition.name}").`,
    "Your workspace is a copy of the asker's as it was when the question was asked. Look there for what was really done; nothing that you change reaches anybody.",
  ].join("\n");
}

/** What the proxy may do, by the gates of the rules `respond` and `escalate`. */
function gateOf({ policy, phase }: Proxy, may: boolean): string {
  const gated = policy === "always" && phase === "fresh";
  const ways = [
    ...(gated
      ? []
      : [
          "  cfa respond ANSWER              what the asker is told",
          "  cfa respond --withdraw REASON   the human gives the work up",
        ]),
    ...(may
      ? ["  cfa ask QUESTION                put this to the human; you are called again with what they say"]
      : []),
  ];
  const rest = may
    ? "What you print without one of these is put to the human as it stands."
    : "What you print without one of these is no answer.";
  const why = gated
    ? " No answer leaves before the human has been asked."
    : may
      ? ""
      : " Nobody can be asked.";
  const kinds = [...(gated ? [] : ["answer", "withdraw"]), ...(may ? ["ask_human"] : [])].join(", ");
  const tool = `As a tool over MCP that is respond, with the kind ${kinds}.`;
  return [`Policy: ${policy}.${why} End your turn with:`, ...ways, tool, rest].join("\n");
}

function saidSoFar(exchanges: readonly Exchange[]): string {
  const lines = exchanges.flatMap(({ asked, replied }) =>
    replied === null ? [] : [`You asked the human: ${asked}`, `The human: ${replied}`],
  );
  return lines.length === 0 ? "" : ["What has been said about it:", ...lines].join("\n");
}

function memoryOf(known: readonly Remembered[]): string {
  if (known.length === 0) return "";
  const lines = known.map(({ id, at, text, view, answer, context }) => {
    const said = answer === null ? "you answered for the human" : "the human said";
    const put = view === null || answer === null ? "" : `, put as ${quoted(view)}`;
    return `- [${id}] ${at.slice(0, 10)}, ${context}: asked ${quoted(text)}${put}; ${said} ${quoted(answer ?? view ?? "")}`;
  });
  return ["What is remembered of the human, oldest first:", ...lines].join("\n");
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
