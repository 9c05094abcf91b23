/**
 * Bugs to plant in cfa, one at a time, that the checkers must find. Each is a change of the compiled text of one module; production
 * code has no switch for it.
 */

/** One bug. */
export type PlantedBug = {
  readonly name: string;
  /** Compiled module, relative to `src/`. */
  readonly file: string;
  /** Text that stands in the module exactly once, spaces aside. */
  readonly text: string;
  readonly by: string;
};

/** The bugs. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: "a lost turn is not rolled back",
    file: "runtime/recovery.js",
    text: "...lost.map((",
    by: "...lost.slice(lost.length).map((",
  },
  {
    name: "the message of a lost turn comes twice",
    file: "runtime/recovery.js",
    text: `lost.map(({ thread, turn }) => ({ kind: "rollback", body: { thread, turn, reason } }))`,
    by: `lost.flatMap(({ agent, thread, turn, message }) => [
      { kind: "rollback", body: { thread, turn, reason } },
      { kind: "post", body: { agent, thread, message, head: false, origin: "engine" } }])`,
  },
  {
    name: "the tree of a lost turn is not put back",
    file: "runtime/lost-turns.js",
    text: "workspaces.restore(tree, ledger.snapshots.get(tree) ?? null, `${serial}.${turn}`);",
    by: "Promise.resolve();",
  },
  {
    name: "the program of a lost turn is not killed",
    file: "runtime/scheduler.js",
    text: "if (process?.started != null)",
    by: "if (false)",
  },
  {
    name: "effects start before their commit",
    file: "runtime/scheduler.js",
    text: "const entries = await bus.log.commit({",
    by: `this.#configuration = configuration;
      this.#effects.observe(touched);
      if (this.#seq > 0) this.#effects.start();
      const entries = await bus.log.commit({`,
  },
  {
    name: "the late result of an aborted turn is taken for that of its successor",
    file: "runtime/effects.js",
    text: "return began ? [overtakenTurn(plan, finished, view)] : [];",
    by: `{
      const other = this.#runs.get(thread);
      return other === undefined ? [] : turnDrafts({ ...plan, run: other }, finished, view, director, this.#options.overCap);
    }`,
  },
  {
    name: "an interrupt drops the mail that waits",
    file: "rules/moves.js",
    text: "return { configuration: new Edit(configuration).add(interruptOf(one)).done() };",
    by: `{
      const edit = new Edit(configuration).add(interruptOf(one));
      for (const box of configuration.cell(one.thread)?.mailboxes ?? [])
        edit.remove(box).add({ ...box, messages: Queue.of() });
      return { configuration: edit.done() };
    }`,
  },
  {
    name: "a withdrawal lets go of the children",
    file: "rules/complete.js",
    text: `right: "Terminate(t,k) ‖ Terminate(t',drop)",`,
    by: `right: "Terminate(t,k)",`,
  },
  {
    name: "a commit with a stale epoch is written",
    file: "persistence/lease.js",
    text: "if (fence.epoch !== commit.epoch)",
    by: "if (false)",
  },
  {
    name: "an ended tree is merged again after a crash",
    file: "runtime/ledger.js",
    text: "this.unreleased.delete(release.thread);",
    by: `if (release.result !== "merged") this.unreleased.delete(release.thread);`,
  },
  {
    name: "a wish and its taking up are two commits",
    file: "runtime/scheduler.js",
    text: "...what.drafts], [id]);",
    by: "...what.drafts]); await this.#commit([], [id]);",
  },
  {
    name: "a conversation that is withdrawn is merged",
    file: "job/acts.js",
    text: `mode: "drop", reason: text`,
    by: `mode: "merge", reason: text`,
  },
  {
    name: "a broadcast is forgotten between two rounds",
    file: "runtime/agenda.js",
    text: `cell.lifecycles.some(({ kind }) => kind === "Send")`,
    by: `cell.lifecycles.some(({ kind }) => kind === "Run")`,
  },
  {
    name: "a workspace that failed half-made stays",
    file: "runtime/tree-effects.js",
    text: "if (tree === head.thread) await workspaces.drop(tree);",
    by: "",
  },
  {
    name: "a default answer is given before its time",
    file: "runtime/questions.js",
    text: "if (Date.parse(own.at) > now.getTime())",
    by: "if (Number.isNaN(now.getTime()))",
  },
  {
    name: "the human is told of a question again by every process",
    file: "runtime/ledger.js",
    text: "question.notified = true;",
    by: "",
  },
  {
    name: "a question of a dying thread can be answered",
    file: "runtime/questions.js",
    text: "if (open === undefined || configuration.dying(known.thread)) {",
    by: "if (open === undefined) {",
  },
  {
    name: "the message of a lost turn goes behind the mail that waits",
    file: "rules/moves.js",
    text: "mailbox.messages.unshift(run.message)",
    by: "mailbox.messages.push(run.message)",
  },
  {
    name: "what goes before the mail that waits is put behind it",
    file: "rules/moves.js",
    text: "one.head ? mailbox.messages.unshift(one.message) : mailbox.messages.push(one.message);",
    by: "mailbox.messages.push(one.message);",
  },
  {
    name: "the newest mail is taken first",
    file: "rules/build.js",
    text: "mail(b).push(message(c, b))",
    by: "mail(b).unshift(message(c, b))",
  },
  {
    name: "an approval does not wait for a lead that has unread mail",
    file: "job/lead.js",
    text: "return rests ? approve(record, lead, action, reason, view) : [];",
    by: "return approve(record, lead, action, reason, view);",
  },
  {
    name: "a state fails one retry too late",
    file: "job/lead.js",
    text: "if (failures <= retries && !worn)",
    by: "if (failures <= retries + 1 && !worn)",
  },
  {
    name: "a child fails one retry too late",
    file: "job/failed-turn.js",
    text: `if (left < 0 || option === "skip")`,
    by: `if (left < -1 || option === "skip")`,
  },
  {
    name: "the outcome record of an earlier turn is read again",
    file: "runtime/turn.js",
    text: "await workspaces.clear(tree);",
    by: "",
  },
];
