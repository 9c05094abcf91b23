/**
 * Effects on trees: made for what will be opened, merged or dropped for what has ended, handed over at the end.
 *
 * W1. Each is derived from the state and keyed by what it is about; it is started once and is idempotent.
 * W2. A tree into which an ended thread is still to be merged gets no branch before that, unless the tree holds a
 *     conflict, which only a turn can resolve; one merge into a tree at a time.
 * W3. A tree that whoever works in the trees has damaged is put back before it is used.
 * W4. An ended thread's tree leaves after all below it; a tree whose thread will never be opened leaves, too.
 * W5. A tree is ready when the boundary of whoever may work in it has been proven there (CfA §10); one that was made for a thread and
 *     whose boundary does not hold is removed.
 */
import type { Draft, EntryBody } from "../persistence/entry.ts";
import { refusalOf } from "../rules/refusal.ts";
import { InvariantViolation } from "../soup/invariant.ts";
import type { AgentName, ThreadId } from "../soup/message.ts";
import type { AgentAdapter, Place } from "./agents/port.ts";
import type { Director, View } from "./director.ts";
import { loggedTree } from "./held.ts";
import type { Ledger } from "./ledger.ts";
import { isMachineFault } from "./machine-fault.ts";
import { isBlocked, releaseTree } from "./release.ts";
import { historyOf } from "./turn.ts";
import { type Branched, TreeBroken, type Workspaces } from "./workspaces/port.ts";

/** What they are made with. */
export type TreeEffectsOptions = {
  readonly director: Director;
  readonly workspaces: Workspaces;
  readonly agents: Readonly<Record<AgentName, AgentAdapter>>;
  /** Commit on which the job's tree starts, and artifacts that it starts with. */
  readonly base: string;
  readonly seeds: readonly { readonly path: string; readonly bytes: string }[];
};

/** Runs work aside; what it resolves to becomes drafts when the loop takes it up. */
export type Launch = (work: () => Promise<() => readonly Draft[]>) => void;

/** See the header. */
export class TreeEffects {
  readonly #options: TreeEffectsOptions;
  readonly #view: () => View;
  readonly #launch: Launch;
  readonly #underWay = new Set<string>();

  constructor(options: TreeEffectsOptions, view: () => View, launch: Launch) {
    this.#options = options;
    this.#view = view;
    this.#launch = launch;
  }

  /** Makes a tree that the log says is there and that is missing: its folder was lost, or the job is a fork. */
  async ensure(tree: ThreadId, ledger: Ledger): Promise<void> {
    const { workspaces, base, seeds } = this.#options;
    const state = ledger.treeState(tree);
    if (state === undefined) return;
    if (tree === ledger.root && state.snapshot === null) await workspaces.open(base, seeds);
    else await workspaces.rebuild(tree, state);
  }

  /** Starts what the state asks for and is not under way; `senders` have a broadcast under way. */
  start(view: View, senders: Iterable<ThreadId>): void {
    for (const thread of view.ledger.unreleased) this.#startRelease(thread, view);
    for (const [thread, parent] of view.ledger.prepared) this.#startRemoval(thread, parent, view);
    for (const thread of senders) this.#startWorkspace(thread, view);
    this.#startDelivery(view);
  }

  /** An ended thread is still to be merged into the tree (W2). */
  mergesInto(tree: ThreadId, { ledger }: View): boolean {
    if (ledger.conflicts.has(tree)) return false;
    for (const thread of ledger.unreleased) {
      const { parent, ending } = ledger.thread(thread);
      if (parent !== undefined && ending === "merge" && this.#options.director.treeOf(parent) === tree)
        return true;
    }
    return false;
  }

  #startRelease(thread: ThreadId, view: View): void {
    const { ledger } = view;
    const { parent, ending } = ledger.thread(thread);
    const into =
      parent !== undefined && ending === "merge" ? this.#options.director.treeOf(parent) : undefined;
    // One merge into a tree at a time.
    const key = into === undefined ? `drop ${thread}` : `merge into ${into}`;
    if (this.#underWay.has(key) || isBlocked(thread, view, this.#options)) return;
    this.#underWay.add(key);
    this.#launch(async () => {
      const drafts = await releaseTree(thread, this.#view, this.#options);
      return () => {
        this.#underWay.delete(key);
        return drafts;
      };
    });
  }

  #startWorkspace(sender: ThreadId, view: View): void {
    const { configuration, ledger } = view;
    const cell = configuration.cell(sender);
    const send = cell?.lifecycles.find((one) => one.kind === "Send");
    const head = send?.kind === "Send" ? send.payloads.head : undefined;
    if (send === undefined || head?.kind !== "deliver" || cell?.terminates.length !== 0) return;
    const known = configuration.cell(head.thread)?.workspace !== undefined || ledger.threads.has(head.thread);
    if (known || refusalOf(configuration, send.agent, sender, head) !== undefined) return;
    const { director, workspaces } = this.#options;
    const tree = director.treeOf(head.thread);
    const parentTree = director.treeOf(sender);
    const key = `workspace ${head.thread}`;
    if (this.#underWay.has(key) || this.mergesInto(parentTree, view)) return;
    this.#underWay.add(key);
    this.#launch(async () => {
      const { agent } = head;
      const making = tree === head.thread ? this.#branch(tree, parentTree, agent) : this.#open(tree, agent);
      const made = await making.catch(async (error: unknown) => {
        if (isMachineFault(error)) throw error;
        const refused = refusedBecause(error);
        // What was made before it failed would outlive the job.
        if (tree === head.thread) await workspaces.drop(tree);
        return refused;
      });
      const body: EntryBody<"workspace"> = {
        thread: head.thread,
        parent: sender,
        commit: "commit" in made ? made.commit : null,
        refused: "refused" in made ? made.refused : null,
      };
      return () => {
        this.#underWay.delete(key);
        return [{ kind: "workspace", body }];
      };
    });
  }

  /** A tree of its own below `parent`'s, proven for its agent (W5). */
  async #branch(tree: ThreadId, parent: ThreadId, agent: AgentName): Promise<Branched> {
    const { workspaces } = this.#options;
    await workspaces.mend(parent, loggedTree(this.#view().ledger, parent), `before-${tree}`);
    const workspace = workspaces.path(tree);
    return workspaces.branch(tree, parent, (mounts) =>
      this.#prove(agent, { workspace, history: () => Promise.resolve(mounts) }),
    );
  }

  /** The job's tree, proven for an agent (W5); a turn of another thread may hold it. */
  async #open(tree: ThreadId, agent: AgentName): Promise<Branched> {
    const { workspaces, base, seeds } = this.#options;
    const made = await workspaces.open(base, seeds);
    const place = { workspace: workspaces.path(tree), ...historyOf(workspaces, tree) };
    const isProven = this.#provers(agent).length > 0;
    if (isProven) await workspaces.exclusive(tree, () => this.#prove(agent, place));
    return made;
  }

  /** Proves a place for an agent, and for the one that may stand in for it (W5). */
  async #prove(agent: AgentName, place: Place): Promise<void> {
    for (const adapter of this.#provers(agent)) await adapter.prove?.(place);
  }

  #provers(agent: AgentName): readonly AgentAdapter[] {
    const { agents, director } = this.#options;
    return [agent, director.fallbackOf(agent)].flatMap((name) => {
      const adapter = agents[name ?? ""];
      return adapter?.prove === undefined ? [] : [adapter];
    });
  }

  /** The sender of a spark has ended before it: nobody will work in the tree that was made for it. */
  #startRemoval(thread: ThreadId, parent: ThreadId, { configuration }: View): void {
    const key = `remove ${thread}`;
    if (this.#underWay.has(key) || !(configuration.isClosed(parent) || configuration.dying(parent))) return;
    this.#underWay.add(key);
    this.#launch(async () => {
      const { director, workspaces } = this.#options;
      if (director.treeOf(thread) === thread) await workspaces.drop(thread).catch(unlessBroken);
      const body = { thread, parent, commit: null, refused: `${parent} has ended` };
      return () => {
        this.#underWay.delete(key);
        return [{ kind: "workspace", body }];
      };
    });
  }

  #startDelivery(view: View): void {
    const wanted = this.#options.director.delivery(view);
    const key = "delivery";
    if (wanted === undefined || this.#underWay.has(key)) return;
    this.#underWay.add(key);
    this.#launch(async () => {
      const { workspaces, director } = this.#options;
      const { ledger } = this.#view();
      const tree = director.treeOf(ledger.root);
      await workspaces.mend(tree, loggedTree(ledger, tree), "before-delivery");
      const { mode, message, summary } = wanted;
      const merges = mergesInto(tree, ledger, director);
      const { branch, commit, problem } = await workspaces.deliver(mode, message, { summary, merges });
      const body: EntryBody<"deliver"> =
        problem === undefined ? { branch, commit, mode } : { branch, commit, mode: "branch", problem };
      return () => {
        this.#underWay.delete(key);
        return [{ kind: "deliver", body }];
      };
    });
  }
}

/** The merge commits of a tree, as the log names them. */
function mergesInto(tree: ThreadId, ledger: Ledger, director: Director): readonly string[] {
  return [...ledger.threads.values()].flatMap(({ release }) => {
    if (release === undefined || release.into === null || release.commit === null) return [];
    if (release.result !== "merged" && release.result !== "completed") return [];
    return director.treeOf(release.into) === tree ? [release.commit] : [];
  });
}

/** A tree that cannot even be read any more is left to the end of the job. */
function unlessBroken(error: unknown): undefined {
  if (!(error instanceof TreeBroken)) throw error;
}

/** A workspace that cannot be made is a refusal, which its sender hears of; a bug stays one. */
function refusedBecause(error: unknown): { readonly refused: string } {
  if (error instanceof InvariantViolation || !(error instanceof Error)) throw error;
  return { refused: error.message };
}
