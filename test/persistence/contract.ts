/**
 * What every bus promises (src/persistence/ports.ts), as one suite that runs on each implementation.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { verifyChain } from "../../src/persistence/chain.ts";
import type { Draft, Entry } from "../../src/persistence/entry.ts";
import type { BusOptions } from "../../src/persistence/options.ts";
import { type Bus, type InboxItem, type JobLog, StaleCommit } from "../../src/persistence/ports.ts";
import { thisProcess } from "../../src/persistence/process-identity.ts";

/** Opens buses of one job, `demo`, that share what they store; `close` ends them all and removes it. */
export type Shared = { readonly open: (options?: BusOptions) => Bus; readonly close: () => Promise<void> };

export const note = (text: string): Draft => ({ kind: "note", body: { level: "info", thread: null, text } });
const tell = (id: string, text = id): InboxItem => ({ id, verb: "tell", target: "", text, by: "ann" });

/** A clock that stands still until it is moved. */
function handClock(): { readonly now: () => Date; readonly forward: (millis: number) => void } {
  let time = Date.UTC(2026, 0, 1);
  return { now: () => new Date(time), forward: (millis) => void (time += millis) };
}

/** A process that has ended: no process has the highest pid that a pid can be, and boot ids are random. */
const deadProcess = { ...thisProcess(), pid: 4_194_304, started: "another boot/1/1" };
const otherHost = { host: "elsewhere", pid: 1, started: "" };

export async function claimEpoch(bus: Bus): Promise<number> {
  const claim = await bus.ownership.claim();
  if ("owner" in claim) throw new Error(`owned by ${claim.owner.pid}`);
  return claim.epoch;
}

export async function all(log: JobLog, after?: number, upTo?: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of log.read(after, upTo)) entries.push(entry);
  return entries;
}

const texts = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => (entry.kind === "note" ? entry.body.text : entry.kind));

export function busContract(name: string, share: () => Shared): void {
  describe(`the bus in ${name}`, () => {
    let shared: Shared;
    let clock: ReturnType<typeof handClock>;
    let bus: Bus;
    let epoch: number;

    beforeEach(async () => {
      shared = share();
      clock = handClock();
      bus = shared.open({ clock: clock.now, lease: 1_000 });
      epoch = await claimEpoch(bus);
    });
    afterEach(() => shared.close());

    /** Commits after the newest entry. */
    const append = async (...said: readonly string[]): Promise<readonly Entry[]> => {
      const { seq } = await bus.log.head();
      return bus.log.commit({ expected: seq, epoch, drafts: said.map(note), consumed: [] });
    };

    describe("log", () => {
      test("an empty log has the head 0, 0 and 64 zeros", async () => {
        expect(await bus.log.head()).toEqual({ seq: 0, round: 0, hash: "0".repeat(64) });
        expect(await all(bus.log)).toEqual([]);
      });

      test("entries are numbered from 1, those of one commit share round and time", async () => {
        await append("a", "b");
        clock.forward(5);
        await append("c");
        const stamps = (await all(bus.log)).map(({ job, seq, round, at }) => [job, seq, round, at]);
        expect(stamps).toEqual([
          ["demo", 1, 1, "2026-01-01T00:00:00.000Z"],
          ["demo", 2, 1, "2026-01-01T00:00:00.000Z"],
          ["demo", 3, 2, "2026-01-01T00:00:00.005Z"],
        ]);
      });

      test("a commit returns the entries as they are read later, and the head follows", async () => {
        const committed = await append("a", "b");
        expect(await all(bus.log)).toEqual(committed);
        const { seq, round, hash } = committed[1]!;
        expect(await bus.log.head()).toEqual({ seq, round, hash });
      });

      test("the chain is whole", async () => {
        await append("a", "b");
        await append("c");
        expect(verifyChain(await all(bus.log))).toEqual({ whole: true, head: await bus.log.head() });
      });

      test("a commit without drafts uses up no round", async () => {
        expect(await append()).toEqual([]);
        expect(await append("a")).toMatchObject([{ seq: 1, round: 1 }]);
      });

      test.each([
        ["everything", undefined, undefined, ["a", "b", "c", "d"]],
        ["after 2", 2, undefined, ["c", "d"]],
        ["up to 2", 0, 2, ["a", "b"]],
        ["(1, 3]", 1, 3, ["b", "c"]],
        ["up to more than there is", 3, 99, ["d"]],
        ["after the newest", 4, undefined, []],
        ["after more than there is", 9, 12, []],
        ["a range that is empty", 3, 3, []],
        ["a range that is upside down", 3, 1, []],
      ])("reads %s", async (_, after, upTo, expected) => {
        await append("a", "b", "c", "d");
        expect(texts(await all(bus.log, after, upTo))).toEqual(expected);
      });

      test("writing while somebody reads disturbs neither; reading ends where it began to", async () => {
        const said = Array.from({ length: 600 }, (_, index) => `${index}`);
        await append(...said);
        const read: Entry[] = [];
        for await (const entry of bus.log.read()) {
          if (entry.seq % 200 === 1) await append(`while at ${entry.seq}`);
          read.push(entry);
        }
        expect(texts(read)).toEqual(said);
        expect(texts(await all(bus.log, 600))).toEqual(["while at 1", "while at 201", "while at 401"]);
      });

      test("another bus reads what was committed", async () => {
        const committed = await append("a");
        expect(await all(shared.open().log)).toEqual(committed);
      });

      test("changing a draft later changes no log", async () => {
        const draft = { kind: "note", body: { level: "info", thread: null, text: "said" } } satisfies Draft;
        await bus.log.commit({ expected: 0, epoch, drafts: [draft], consumed: [] });
        draft.body.text = "unsaid";
        expect(texts(await all(bus.log))).toEqual(["said"]);
      });

      test("texts of every script, control characters and lone surrogates come back", async () => {
        const said = ["π → ε", "\u0000\u2028\ud800", "🐙", '"\\/\n', ""];
        await append(...said);
        expect(texts(await all(bus.log))).toEqual(said);
      });

      test("what could not be read again is not written", async () => {
        const drafts = [note("fine"), { kind: "note", body: { text: 1 } } as unknown as Draft];
        await expect(bus.log.commit({ expected: 0, epoch, drafts, consumed: [] })).rejects.toThrow(
          /"note" does not fit its schema/,
        );
        expect(await all(bus.log)).toEqual([]);
      });
    });

    describe("stale commits change nothing", () => {
      const refused = async (
        commit: { expected: number; epoch: number },
        sentence: RegExp,
      ): Promise<void> => {
        await append("a");
        await bus.inbox.post(tell("item"));
        const attempt = bus.log.commit({ ...commit, drafts: [note("b")], consumed: ["item"] });
        await expect(attempt).rejects.toThrow(StaleCommit);
        await expect(attempt).rejects.toThrow(sentence);
        expect(texts(await all(bus.log))).toEqual(["a"]);
        expect(await bus.inbox.pending()).toEqual([tell("item")]);
      };

      test("behind the newest entry", () =>
        refused({ expected: 0, epoch }, /has 1 entries, its writer knows 0/));
      test("before it", () => refused({ expected: 2, epoch }, /has 1 entries, its writer knows 2/));
      test("an epoch never given", () => refused({ expected: 1, epoch: epoch + 1 }, /claimed by another/));
      test("the epoch before a claim", async () => {
        const [before, now] = [epoch, await claimEpoch(bus)];
        epoch = now;
        await refused({ expected: 1, epoch: before }, /holds epoch 1, the newest is 2/);
      });

      test("a job without owner", async () => {
        await bus.ownership.release(epoch);
        await expect(append("a")).rejects.toThrow(/has no owner/);
      });
    });

    describe("inbox", () => {
      test("items wait in the order in which they were posted, and posting needs no ownership", async () => {
        const poster = shared.open({ self: otherHost });
        await poster.inbox.post(tell("z"));
        await bus.inbox.post(tell("a"));
        expect(await bus.inbox.pending()).toEqual([tell("z"), tell("a")]);
        expect(await poster.inbox.pending()).toEqual([tell("z"), tell("a")]);
        expect(await bus.ownership.owner()).toMatchObject({ epoch });
      });

      test("an id is posted once, the first text stays", async () => {
        await bus.inbox.post(tell("a", "first"));
        await bus.inbox.post(tell("a", "second"));
        expect(await bus.inbox.pending()).toEqual([tell("a", "first")]);
      });

      test("a commit takes items up, they are never offered again", async () => {
        for (const id of ["a", "b", "c"]) await bus.inbox.post(tell(id));
        await bus.log.commit({ expected: 0, epoch, drafts: [note("done")], consumed: ["c", "a"] });
        await bus.inbox.post(tell("a"));
        expect(await bus.inbox.pending()).toEqual([tell("b")]);
      });

      test.each([
        ["never posted", ["x"]],
        ["taken up before", ["old"]],
        ["named twice", ["new", "new"]],
      ])("an item %s fails the whole commit", async (_, consumed) => {
        for (const id of ["old", "new"]) await bus.inbox.post(tell(id));
        await bus.log.commit({ expected: 0, epoch, drafts: [note("first")], consumed: ["old"] });
        const commit = {
          expected: 1,
          epoch,
          drafts: [note("second")],
          consumed: ["new", ...consumed].slice(-2),
        };
        await expect(bus.log.commit(commit)).rejects.toThrow(/bug in cfa: a commit takes up/);
        expect(texts(await all(bus.log))).toEqual(["first"]);
        expect(await bus.inbox.pending()).toEqual([tell("new")]);
      });

      test("an item of no known shape is refused", async () => {
        await expect(bus.inbox.post({ ...tell("a"), verb: "shout" as "tell" })).rejects.toThrow(/verb/);
        expect(await bus.inbox.pending()).toEqual([]);
      });
    });

    describe("ownership", () => {
      test("nobody owns a new job until it is claimed", async () => {
        await bus.ownership.release(epoch);
        expect(await bus.ownership.owner()).toBe(undefined);
        expect(await bus.ownership.claim()).toEqual({ epoch: epoch + 1 });
      });

      test("a live owner is named to whoever claims, also to a second bus of the same process", async () => {
        const { host, pid, started } = thisProcess();
        const owner = { host, pid, started, since: "2026-01-01T00:00:00.000Z", epoch, expired: false };
        for (const self of [thisProcess(), otherHost])
          expect(await shared.open({ clock: clock.now, self }).ownership.claim()).toEqual({ owner });
      });

      test("the owner's own claim raises the epoch", async () => {
        expect(await bus.ownership.claim()).toEqual({ epoch: epoch + 1 });
      });

      test("a dead process of this host is taken over at once", async () => {
        await bus.ownership.release(epoch);
        const dead = shared.open({ clock: clock.now, self: deadProcess });
        await claimEpoch(dead);
        expect(await bus.ownership.owner()).toMatchObject({ pid: deadProcess.pid, expired: true });
        expect(await bus.ownership.claim()).toEqual({ epoch: epoch + 2 });
      });

      test("a process of another host keeps the job until its lease has run out", async () => {
        await bus.ownership.release(epoch);
        await claimEpoch(shared.open({ clock: clock.now, lease: 1_000, self: otherHost }));
        clock.forward(999);
        expect(await bus.ownership.claim()).toMatchObject({ owner: { host: "elsewhere", expired: false } });
        clock.forward(1);
        expect(await bus.ownership.owner()).toMatchObject({ host: "elsewhere", expired: true });
        expect(await bus.ownership.claim()).toEqual({ epoch: epoch + 2 });
      });

      test("a beat extends the lease", async () => {
        clock.forward(900);
        expect(await bus.ownership.beat(epoch)).toBe(true);
        clock.forward(900);
        const other = shared.open({ clock: clock.now, self: otherHost });
        expect(await other.ownership.claim()).toMatchObject({ owner: { epoch } });
      });

      test("a lease that has run out is its holder's until somebody claims", async () => {
        clock.forward(5_000);
        expect(await append("late")).toHaveLength(1);
        expect(await bus.ownership.beat(epoch)).toBe(true);
        expect(await bus.ownership.owner()).toMatchObject({ epoch, expired: false });
      });

      test("whoever was taken over can neither write, beat nor release", async () => {
        clock.forward(1_000);
        const other = shared.open({ clock: clock.now, self: otherHost });
        const newer = await claimEpoch(other);
        await expect(append("late")).rejects.toThrow(StaleCommit);
        expect(await bus.ownership.beat(epoch)).toBe(false);
        await bus.ownership.release(epoch);
        expect(await bus.ownership.owner()).toMatchObject({
          host: "elsewhere",
          epoch: newer,
          expired: false,
        });
      });

      test("after a release there is no beat, and the next epoch is higher still", async () => {
        await bus.ownership.release(epoch);
        expect(await bus.ownership.beat(epoch)).toBe(false);
        expect(await shared.open({ self: otherHost }).ownership.claim()).toEqual({ epoch: epoch + 1 });
      });

      test("closing gives up what the bus owns, and nothing else", async () => {
        const other = shared.open({ clock: clock.now, self: otherHost });
        await other.close();
        expect(await bus.ownership.owner()).toMatchObject({ epoch });
        await bus.close();
        expect(await shared.open().ownership.owner()).toBe(undefined);
      });
    });

    test("a checkpoint takes the place of the one before", async () => {
      expect(await bus.log.checkpoint()).toBe(undefined);
      await bus.log.saveCheckpoint({ seq: 1, state: "one" });
      await bus.log.saveCheckpoint({ seq: 2, state: "two" });
      expect(await shared.open().log.checkpoint()).toEqual({ seq: 2, state: "two" });
    });

    describe("wake", () => {
      test("a hint reaches the subscribers of this bus at once, until they leave", () => {
        let hints = 0;
        const leave = bus.wake.subscribe(() => void hints++);
        bus.wake.notify();
        expect(hints).toBe(1);
        leave();
        bus.wake.notify();
        expect(hints).toBe(1);
      });

      test.each([
        ["a hint", async (other: Bus) => other.wake.notify()],
        ["a post", async (other: Bus) => other.inbox.post(tell("a"))],
      ])("%s on another bus reaches them too", async (_, act) => {
        const hinted = new Promise<void>((resolve) => void bus.wake.subscribe(resolve));
        await act(shared.open());
        await hinted;
      });
    });

    test("a closed bus says so; closing twice is closing once", async () => {
      await bus.close();
      await bus.close();
      const uses: readonly (() => Promise<unknown>)[] = [
        () => bus.log.head(),
        () => bus.log.commit({ expected: 0, epoch, drafts: [note("a")], consumed: [] }),
        () => all(bus.log),
        () => bus.inbox.pending(),
        () => bus.ownership.claim(),
      ];
      for (const use of uses) await expect(use()).rejects.toMatchObject({ name: "BusError", code: "closed" });
    });
  });
}
