/**
 * The ledger: what the log says of each thread beyond its molecules. Derived by folding entries, never stored.
 *
 * L1. `apply` is called with every entry in order; the same entries give the same ledger.
 * L2. A thread stays in the ledger when it has ended; its serial is the order in which it was opened, the root's is 0.
 * L3. Processes and sessions are those of the job that started them: a fork has none.
 */
import type { Entry, EntryBody } from "../persistence/entry.ts";
import type { Firing } from "../rules/fire.ts";
import type { Configuration } from "../soup/configuration.ts";
import { invariant } from "../soup/invariant.ts";
import type { AgentName, Payload, Policy, QuestionId, ThreadId } from "../soup/message.ts";
import { ChildrenByAgent } from "./children-by-agent.ts";
import { Escalations } from "./escalation/escalations.ts";
import { loggedTree } from "./held.ts";
import { fill, formOf, type LedgerForm } from "./ledger-form.ts";
import { Overview } from "./overview.ts";
import { endQuestion, foldQuestion, newQuestion, type QuestionRecord } from "./question-record.ts";
import { NOTHING_SPENT, type Spent, withTurn } from "./spending.ts";
import {
  beginTurn,
  endTurn,
  NEW_THREAD,
  noteInterrupt,
  rollBack,
  type ThreadRecord,
} from "./thread-record.ts";
import { foldTrees, type TreeRecord } from "./tree-record.ts";
import type { NamedFile, TreeState } from "./workspaces/port.ts";

/** See the header. */
export class Ledger {
  readonly threads = new Map<ThreadId, ThreadRecord>();
  /** Index of the threads. */
  #children = new ChildrenByAgent();
  readonly questions = new Map<QuestionId, QuestionRecord>();
  /** What became of each question on its way to the proxy and the human. */
  readonly escalations: Escalations;
  /** What only people look at. */
  readonly overview: Overview;
  /** Files that travel with a message, by message id. */
  readonly files = new Map<string, readonly NamedFile[]>();
  /** Newest logged snapshot of each tree, keyed by the thread that names it. */
  readonly snapshots = new Map<ThreadId, string>();
  /** Trees that have been made and have not left, keyed likewise. */
  readonly trees = new Map<ThreadId, TreeRecord>();
  /** Conflicts that trees hold, keyed by the thread of the tree: the child whose merge it is, or the thread whose agent began it. */
  readonly conflicts = new Map<ThreadId, { readonly child: ThreadId; readonly paths: readonly string[] }>();
  /** Threads whose tree is made and that have not been opened yet, with the thread that opens them. */
  readonly prepared = new Map<ThreadId, ThreadId>();
  /** Ended threads whose tree has not left yet, in the order in which they ended. */
  readonly unreleased = new Set<ThreadId>();
  root: ThreadId = "";
  /** What all turns have used, those of the proxy included. */
  spent: Spent = NOTHING_SPENT;
  readonly #optional = new Set<ThreadId>();
  readonly #tasks = new Map<ThreadId, string>();
  readonly #treeOf: (thread: ThreadId) => ThreadId;

  /** `treeOf` names the tree in which a thread works. */
  constructor(
    treeOf: (thread: ThreadId) => ThreadId,
    escalations = new Escalations(),
    overview = new Overview(),
  ) {
    this.#treeOf = treeOf;
    this.escalations = escalations;
    this.overview = overview;
  }

  /** The trees in which somebody works or may, in the order of their threads. */
  liveTrees(): readonly ThreadId[] {
    const open = [...this.threads.values()].filter(
      ({ thread, closed }) => !closed || this.unreleased.has(thread),
    );
    const threads = [...open.map(({ thread }) => thread), ...this.prepared.keys()];
    return [...new Set(threads.map((thread) => this.#treeOf(thread)))];
  }

  /** How a tree stood after the entries so far, as far as the log says; undefined when it has none. */
  treeState(tree: ThreadId): TreeState | undefined {
    const record = this.trees.get(tree);
    if (record === undefined) return undefined;
    const { snapshot, conflict } = loggedTree(this, tree);
    return { ...record, snapshot, conflict };
  }

  /** The ledger of a form, which is not changed. */
  static from(form: LedgerForm, treeOf: (thread: ThreadId) => ThreadId): Ledger {
    const ledger = new Ledger(treeOf, Escalations.from(form.escalations), new Overview(form.overview));
    fill(ledger, form);
    for (const [thread, task] of form.tasks) ledger.#tasks.set(thread, task);
    for (const thread of form.optional) ledger.#optional.add(thread);
    ledger.#children = new ChildrenByAgent(ledger.threads.values());
    return ledger;
  }

  /** What a checkpoint holds of it: {@link Ledger.from} makes the same again. */
  form(): LedgerForm {
    return formOf(this, this.#tasks, this.#optional);
  }

  /** The record of a thread that the log has opened. */
  thread(thread: ThreadId): ThreadRecord {
    const record = this.threads.get(thread);
    invariant(record !== undefined, `the log has not opened ${thread}`);
    return record;
  }

  /** The children of a thread with this agent, in the order in which they were opened. */
  childrenWith(parent: ThreadId, agent: AgentName): readonly ThreadRecord[] {
    return this.#children.of(parent, agent).map((thread) => this.thread(thread));
  }

  /** A ledger of its own that says the same: what is applied to one does not show in the other. */
  clone(): Ledger {
    return Ledger.from(this.form(), this.#treeOf);
  }

  /** The commit whose entries were applied has ended in this configuration: {@link Overview} needs to know. */
  settle(configuration: Configuration): void {
    this.overview.settle(configuration, this.threads);
  }

  apply(entry: Entry): void {
    this.overview.apply(entry);
    const snapshotOf = (thread: ThreadId) => this.snapshots.get(this.#treeOf(thread));
    if (this.escalations.apply(entry, { snapshotOf })) {
      if (entry.kind === "turn") this.spent = withTurn(this.spent, entry.body.usage);
      return;
    }
    foldTrees(this.trees, entry, { treeOf: this.#treeOf, snapshots: this.snapshots, root: this.root });
    switch (entry.kind) {
      case "open":
        this.root = entry.body.root.thread;
        this.#open(entry.body.root.thread, entry.body.root.agent, undefined, "", entry.at);
        return;
      case "fire":
        this.#fire(entry.body, entry.at);
        return;
      case "post":
        if (entry.body.message.kind === "control") {
          const record = this.threads.get(entry.body.thread);
          if (record !== undefined) record.since = entry.at;
        }
        return;
      case "terminate":
        this.#terminate(entry.body);
        return;
      case "interrupt":
        noteInterrupt(this.thread(entry.body.thread), entry.body);
        return;
      case "rollback":
        rollBack(this.thread(entry.body.thread));
        return;
      case "start": {
        const { thread, pid, started } = entry.body;
        this.thread(thread).process = pid === null ? undefined : { pid, started };
        return;
      }
      case "workspace":
        if (entry.body.commit === null) this.prepared.delete(entry.body.thread);
        else this.prepared.set(entry.body.thread, entry.body.parent);
        return;
      case "turn":
        this.#turn(entry.body);
        return;
      case "release":
        this.#release(entry.body);
        return;
      case "notify": {
        const question = this.questions.get(entry.body.question);
        if (question !== undefined) question.notified = true;
        return;
      }
      case "fork":
        for (const record of this.threads.values()) {
          record.process = undefined;
          record.session = undefined;
        }
        return;
      default:
        return;
    }
  }

  #open(thread: ThreadId, agent: AgentName, parent: ThreadId | undefined, task: string, at: string): void {
    const serial = this.threads.size;
    const optional = this.#optional.has(thread);
    const owes = parent !== undefined;
    const opened = { thread, agent, serial, parent, task, optional, since: at, owes, children: [] };
    this.threads.set(thread, { ...NEW_THREAD, ...opened });
    if (parent !== undefined) this.thread(parent).children.push(thread);
    this.#children.add({ thread, agent, parent });
  }

  #ending(thread: ThreadId, mode: "merge" | "drop"): void {
    const record = this.threads.get(thread);
    if (record !== undefined) record.ending = record.ending === "drop" ? "drop" : mode;
  }

  /** A child that the orchestrator drops has failed for good, until its parent closes it. */
  #terminate({ thread, mode, origin }: EntryBody<"terminate">): void {
    this.#ending(thread, mode);
    const record = this.threads.get(thread);
    const judged = origin === "orchestrator" || origin === "engine";
    if (record !== undefined && record.parent !== undefined && mode === "drop" && judged)
      record.failed = true;
  }

  #turn(turn: EntryBody<"turn">): void {
    endTurn(this.thread(turn.thread), turn);
    if (turn.commit !== null) this.snapshots.set(this.#treeOf(turn.thread), turn.commit);
    for (const { message, files } of turn.files) this.files.set(message, files);
    for (const thread of turn.optional) this.#optional.add(thread);
    this.spent = withTurn(this.spent, turn.usage);
  }

  #release(release: EntryBody<"release">): void {
    const tree = release.into === null ? undefined : this.#treeOf(release.into);
    // What an agent has begun in its own tree is no release of that tree.
    if (tree !== this.#treeOf(release.thread)) {
      this.thread(release.thread).release = release;
      this.unreleased.delete(release.thread);
    }
    if (tree === undefined) return;
    if (release.result === "conflict")
      this.conflicts.set(tree, { child: release.thread, paths: release.paths });
    if (release.result === "completed") this.conflicts.delete(tree);
    if (release.snapshot !== null) this.snapshots.set(tree, release.snapshot);
  }

  #fire(firing: Firing, at: string): void {
    const thread = firing.at["t"] ?? "";
    const other = firing.at["t'"] ?? "";
    switch (firing.rule) {
      case "spark":
        this.#open(other, firing.at["A"] ?? "", thread, this.#tasks.get(other) ?? "", at);
        this.#tasks.delete(other);
        this.prepared.delete(other);
        this.thread(thread).refusals = 0;
        return;
      case "send-step":
        this.#broadcast(thread, firing.choice?.ps ?? [], at);
        return;
      case "ask-step":
        if (firing.choice?.e !== undefined && firing.choice.x !== undefined) {
          this.#ask(firing.choice.e, thread, firing.choice.x.body, firing.choice.π ?? "when_unsure", at);
        }
        return;
      case "refuse":
        this.thread(thread).refusals += 1;
        return;
      case "send":
        this.thread(thread).refusals = 0;
        if (this.thread(other).parent === thread) this.thread(other).owes = true;
        if (this.thread(thread).parent === other) this.thread(thread).owes = false;
        return;
      case "wake":
      case "wake-int":
        beginTurn(this.thread(thread), firing.rule, at);
        return;
      case "interrupt":
        beginTurn(this.thread(thread), firing.rule, at);
        this.escalations.lose(this.thread(thread).abandoned?.message);
        return;
      case "send-terminate":
        this.#ending(other, "merge");
        return;
      case "send-closed":
        if (this.threads.get(other)?.parent === thread) this.thread(other).failed = false;
        return;
      case "cascade":
        this.#ending(other, "drop");
        return;
      case "term-final": {
        const record = this.thread(thread);
        record.closed = true;
        record.process = undefined;
        for (const one of this.questions.values()) if (one.thread === thread) endQuestion(one);
        if (this.#treeOf(thread) === thread) this.unreleased.add(thread);
        return;
      }
      default:
        foldQuestion(this.questions, firing);
    }
  }

  #broadcast(thread: ThreadId, payloads: readonly Payload[], at: string): void {
    for (const one of payloads) {
      if (one.kind === "ask") this.#ask(one.question, thread, one.text.body, one.policy, at);
      if (one.kind === "deliver" && !this.threads.has(one.thread) && !this.#tasks.has(one.thread)) {
        this.#tasks.set(one.thread, one.message.body);
      }
    }
  }

  #ask(id: QuestionId, thread: ThreadId, text: string, policy: Policy, since: string): void {
    this.questions.set(id, newQuestion({ id, thread, text, policy, since }, this.thread(thread).last));
  }
}
