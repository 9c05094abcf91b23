/**
 * The anchor of a job's log in git: `refs/cfa/<job>/anchor` names a blob that reads `SEQ HASH` and a line feed.
 *
 * A1. It never goes back, whoever writes it: the ref is moved only from the value that was compared.
 * A2. When a job is taken up, locks of a killed git are removed while the anchor moves (ref-locks.ts): a move that fails though the ref is
 *     as it was is tried again.
 * A3. It names no commit, so it is no branch, nothing is checked out from it, and a push takes it only when told to.
 */
import { setTimeout as delay } from "node:timers/promises";
import { jobDirectory } from "../../persistence/jobs.ts";
import type { AnchorPort } from "../anchor.ts";
import { type Git, gitAt, GitFailure } from "./git.ts";
import { refs } from "./trees.ts";

/** Number and hash that an anchor names. */
export type Anchored = { readonly seq: number; readonly hash: string };

/** How often a move is tried, and the pause before another try, milliseconds (A2). */
const TRIES_MAX = 10;
const PAUSE_MILLIS = 200;

type Found = { readonly blob: string; readonly anchored: Anchored | undefined };

/** The anchor of a job in the repository at `top`. */
export function gitAnchor(top: string, job: string): AnchorPort {
  const git = gitAt({ cwd: top, job: jobDirectory(top, job) });
  const ref = refs.anchor(job);
  let known: Found | undefined;
  return async (seq, hash) => {
    const blob = (await git.run(["hash-object", "-w", "--stdin"], { input: `${seq} ${hash}\n` })).trim();
    for (let failures = 0; ;) {
      known ??= await find(git, ref);
      if ((known?.anchored?.seq ?? 0) >= seq) return;
      const old = known?.blob ?? "0".repeat(blob.length);
      const moved = await git.attempt(["update-ref", ref, blob, old]);
      if (moved.code === 0) {
        known = { blob, anchored: { seq, hash } };
        return;
      }
      const now = await find(git, ref);
      if (now?.blob === known?.blob) {
        failures += 1;
        if (failures === TRIES_MAX) throw new GitFailure("update-ref", moved);
        await delay(PAUSE_MILLIS);
      }
      known = now;
    }
  };
}

/** The anchor of a job; undefined when there is none, `unreadable` when the ref names something else. */
export async function readAnchor(top: string, job: string): Promise<Anchored | "unreadable" | undefined> {
  const found = await find(gitAt({ cwd: top }), refs.anchor(job));
  return found === undefined ? undefined : (found.anchored ?? "unreadable");
}

async function find(git: Git, ref: string): Promise<Found | undefined> {
  const name = await git.attempt(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  if (name.code !== 0) return undefined;
  const blob = name.out.trim();
  const { code, out } = await git.attempt(["cat-file", "blob", blob]);
  const [, seq, hash] = /^(\d{1,15}) ([0-9a-f]{64})\n$/.exec(code === 0 ? out : "") ?? [];
  if (seq === undefined || hash === undefined) return { blob, anchored: undefined };
  return { blob, anchored: { seq: Number(seq), hash } };
}
