/**
 * What the lead knows about its dispatches, in a file of its tree.
 *
 * A turn may be lost and run again, and no program remembers anything between turns, so all of it is on disk:
 *
 * G1. The record is written once, as the last act of a turn: a turn that is lost or fails leaves the record of the turn
 *     before, and what it told `cfa` never happened either.
 * G2. It belongs to one conversation of the lead; when EXECUTE is entered again, the children of the earlier entry are
 *     gone, and so is their record.
 * G3. Each section, and the check, is dispatched {@link ATTEMPTS} times at most: once, and once more.
 */
import { SCRATCH, readText, writeText } from "./files.mjs";
import { track } from "./history.mjs";
import { Failure } from "./turn.mjs";

const PATH = `${SCRATCH}/progress.json`;
const ATTEMPTS = 2;

/** The key of the check among the dispatches; sections have their numbers. */
export const CHECK = "check";

/** The dispatches of one entry into EXECUTE. */
export class Progress {
  /** `threads` by key: all that the dispatch has had, the newest last; `states` by key: `open`, `done` or `failed`. */
  constructor(conversation, { threads = {}, states = {} } = {}) {
    this.conversation = conversation;
    this.threads = threads;
    this.states = states;
  }

  /** Reads the record of a conversation; undefined when there is none (G2). */
  static async read(conversation) {
    const text = await readText(PATH);
    const record = text === undefined ? undefined : JSON.parse(text);
    return record?.conversation === conversation ? new Progress(conversation, record) : undefined;
  }

  /** Writes the record (G1). */
  async write() {
    await writeText(PATH, `${JSON.stringify(this, null, 1)}\n`);
    await track(PATH);
  }

  isDone(key) {
    return this.states[key] === "done";
  }

  isOpen(key) {
    return this.states[key] === "open";
  }

  /** Keys of the dispatches that are open. */
  open() {
    return Object.keys(this.states).filter((key) => this.isOpen(key));
  }

  /** The thread that works on `key`, or last did. */
  thread(key) {
    return this.threads[key]?.at(-1);
  }

  /** Notes a new thread for `key`. */
  opened(key, thread) {
    this.threads[key] = [...(this.threads[key] ?? []), thread];
    this.states[key] = "open";
  }

  /** Notes how `key` ended, for now. */
  settled(key, state) {
    this.states[key] = state;
  }

  /** Refuses a third attempt (G3). */
  requireAttempt(key, why) {
    if ((this.threads[key]?.length ?? 0) < ATTEMPTS) return;
    const what = key === CHECK ? "The check" : `Section ${key}`;
    throw new Failure(`${what} did not succeed in ${ATTEMPTS} attempts: ${why}`);
  }

  /** Keys of the open dispatches whose thread a text names. */
  namedIn(text) {
    return this.open().filter((key) => mentions(text, this.thread(key)));
  }

  /** Whether a text names any thread of this record, ended ones included. */
  knows(text) {
    return Object.values(this.threads).some((threads) => threads.some((thread) => mentions(text, thread)));
  }
}

/** Whether a text names a thread, and not only one whose id begins with the same letters. */
function mentions(text, thread) {
  const escaped = thread.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w:-])${escaped}(?![\\w-])`).test(text);
}
