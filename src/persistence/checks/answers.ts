/**
 * Answers: what reaches the asker is what somebody said (CfA §7, docs/escalation.md).
 *
 * W1. A `human-reply` repeats the act before it in its commit by which the question was answered, that was accepted: id and words.
 * W2. The act `default:<e>` gives the answer that the turn which asked e has named for it, when its time has come; under `always` a
 *     turn names none.
 * W3. What the human is asked without a turn of the proxy is the question in the asker's words.
 * W4. An answer without a turn of the proxy is the newest reply, word by word, unless that was given to the proxy.
 * W5. An answer that is delivered once more is the one that was given.
 *
 * Whether a question may be answered by nobody is a matter of the job (job/verify).
 */
import { questionOf } from "../conversation.ts";
import type { Entry, EntryBody } from "../entry.ts";
import type { LogCheck } from "../verify.ts";

type Act = EntryBody<"act">;
type Default = { readonly answer: string; readonly from: number };

/** A question on its way. */
type Asked = {
  readonly policy: string;
  readonly agent: string;
  readonly thread: string;
  readonly text: string;
  readonly default: Default | undefined;
  /** The proxy has put it to the human this time. */
  byProxy: boolean;
  reply: { readonly text: string; readonly counts: boolean } | undefined;
  answer: string | undefined;
};

/** The check of the answers of a log. */
export function answersCheck(): LogCheck {
  const facts = new Answers();
  return {
    name: "answers",
    says: "answers and replies are what the proxy or a person has said",
    step: ({ entry }) => facts.step(entry),
  };
}

class Answers {
  readonly #asked = new Map<string, Asked>();
  #round = 0;
  /** Of the commit so far. */
  #acts: Act[] = [];
  #turn: EntryBody<"turn"> | undefined;

  step(entry: Entry): string | undefined {
    if (entry.round !== this.#round) {
      this.#round = entry.round;
      this.#acts = [];
      this.#turn = undefined;
    }
    switch (entry.kind) {
      case "act":
        this.#acts.push(entry.body);
        return this.#default(entry.body, entry.at);
      case "turn":
        this.#turn = entry.body;
        return undefined;
      case "post":
        return this.#again(entry.body);
      case "fire":
        return this.#fire(entry.body, entry.at);
      default:
        return undefined;
    }
  }

  #fire(body: EntryBody<"fire">, time: string): string | undefined {
    const { rule, at, choice } = body;
    const { A: agent = "", t: thread = "", e: question = "" } = at;
    const problem = this.#ask({ agent, thread }, choice, time);
    if (problem !== undefined) return problem;
    const asked = this.#asked.get(question);
    if (asked === undefined) return undefined;
    if (rule === "escalate" && choice?.y !== undefined) return this.#escalate(asked, question, choice.y);
    if (rule === "human-reply" && choice?.["x'"] !== undefined)
      return this.#reply(asked, question, choice["x'"]);
    if (rule === "respond" && choice?.a !== undefined) return this.#respond(asked, question, choice.a);
    return undefined;
  }

  /** Takes up the questions of a choice. */
  #ask(
    from: { readonly agent: string; readonly thread: string },
    choice: EntryBody<"fire">["choice"],
    time: string,
  ): string | undefined {
    const several = (choice?.ps ?? []).flatMap((one) => (one.kind === "ask" ? [one] : []));
    const { e, x, π: policy } = choice ?? {};
    const questions = [
      ...several.map((one) => ({ question: one.question, text: one.text.body, policy: one.policy })),
      ...(e === undefined || x === undefined ? [] : [{ question: e, text: x.body, policy: policy ?? "" }]),
    ];
    for (const { question, ...rest } of questions) {
      const own = this.#turn?.defaults?.find((one) => one.question === question);
      if (own !== undefined && rest.policy === "always")
        return `under the policy always ${question} has no default answer`;
      const given = own && { answer: own.answer, from: Date.parse(time) + own.millis };
      const asked = { ...from, ...rest, default: given, byProxy: false, reply: undefined, answer: undefined };
      this.#asked.set(question, asked);
    }
    return undefined;
  }

  /** See W2. */
  #default({ id, target, text, by }: Act, time: string): string | undefined {
    if (!id.startsWith("default:")) return undefined;
    const own = this.#asked.get(target)?.default;
    if (id !== `default:${target}` || by !== "default")
      return "a default answer is given by default, under the id default:QUESTION";
    if (own === undefined) return `the turn that asked ${target} has named no default answer for it`;
    if (own.answer !== text) return `the default answer to ${target} is ${JSON.stringify(own.answer)}`;
    return Date.parse(time) >= own.from
      ? undefined
      : `the default answer to ${target} counts from ${new Date(own.from).toISOString()} on`;
  }

  /** See W3. */
  #escalate(asked: Asked, question: string, y: Message): string | undefined {
    asked.byProxy = this.#isProxys(question);
    if (asked.byProxy) return this.#unlikeProxy(question, y);
    const isAskers = y.from?.agent === asked.agent && y.from.thread === asked.thread;
    return isAskers && y.body === asked.text
      ? undefined
      : `without a turn of the proxy the human is asked ${question} as ${asked.agent} asked it: ${JSON.stringify(asked.text)}`;
  }

  /** See W1. */
  #reply(asked: Asked, question: string, reply: Message): string | undefined {
    const act = this.#acts.find(({ verb, target }) => verb === "answer" && target === question);
    if (act === undefined) return `it needs the act in its commit by which somebody answered ${question}`;
    if (act.result !== "answered") return `the act on ${question} was not accepted: ${act.result}`;
    const isActs = reply.id === act.id && reply.body === act.text;
    if (!isActs || reply.kind !== "human" || reply.from !== null || reply.re !== question)
      return `the reply to ${question} is that of act ${act.id}: ${JSON.stringify(act.text)}`;
    asked.reply = { text: reply.body, counts: !asked.byProxy || act.id === `default:${question}` };
    return undefined;
  }

  /** See W4. */
  #respond(asked: Asked, question: string, answer: Message): string | undefined {
    if (answer.kind !== "answer" || answer.re !== question)
      return `it needs an answer to ${question}, not a ${answer.kind} about ${answer.re ?? "nothing"}`;
    asked.answer = answer.body;
    if (this.#isProxys(question)) return this.#unlikeProxy(question, answer);
    if (answer.from !== null)
      return `${answer.from.agent} has had no turn on ${question} in its commit: nobody but the proxy answers`;
    const { reply } = asked;
    if (reply === undefined) return undefined;
    if (!reply.counts) return `the reply to ${question} was given to the proxy, which has not answered`;
    return reply.text === answer.body
      ? undefined
      : `the answer to ${question} is what was replied: ${JSON.stringify(reply.text)}`;
  }

  /** See W5. */
  #again({ thread, message }: EntryBody<"post">): string | undefined {
    if (message.kind !== "answer") return undefined;
    const asked = this.#asked.get(message.re ?? "");
    return asked?.thread === thread && asked.answer === message.body
      ? undefined
      : `no answer to ${message.re ?? "a question"} was given to ${thread} with these words`;
  }

  /** The commit so far holds a good turn of the proxy on the question. */
  #isProxys(question: string): boolean {
    const turn = this.#turn;
    return turn?.result === "ok" && questionOf(turn.thread) === question;
  }

  #unlikeProxy(question: string, { from }: Message): string | undefined {
    const turn = this.#turn;
    return turn !== undefined && from?.agent === turn.agent && from.thread === turn.thread
      ? undefined
      : `it comes of the turn of the proxy on ${question}, and is from ${from?.thread ?? "nobody"}`;
  }
}

type Message = NonNullable<NonNullable<EntryBody<"fire">["choice"]>["x"]>;
