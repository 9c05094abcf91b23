/** The children of each thread by agent, in the order in which they were opened: found without going through all of them. */
import type { AgentName, ThreadId } from "../soup/message.ts";

type Child = { readonly thread: ThreadId; readonly agent: AgentName; readonly parent: ThreadId | undefined };

/** See the header. An index of the ledger's threads, made from them. */
export class ChildrenByAgent {
  readonly #children = new Map<ThreadId, Map<AgentName, ThreadId[]>>();

  /** Takes up threads, in the order in which they were opened. */
  constructor(threads: Iterable<Child> = []) {
    for (const thread of threads) this.add(thread);
  }

  /** Takes up a thread that has just been opened. */
  add({ thread, agent, parent }: Child): void {
    if (parent === undefined) return;
    const byAgent = this.#children.get(parent) ?? new Map<AgentName, ThreadId[]>();
    this.#children.set(parent, byAgent);
    const threads = byAgent.get(agent);
    if (threads === undefined) byAgent.set(agent, [thread]);
    else threads.push(thread);
  }

  /** The children of a thread with this agent, ended ones included. */
  of(parent: ThreadId, agent: AgentName): readonly ThreadId[] {
    return this.#children.get(parent)?.get(agent) ?? [];
  }
}
