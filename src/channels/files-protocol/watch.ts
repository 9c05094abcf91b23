/**
 * Follows status.json while the agent runs, and reads it a last time when nobody writes any more.
 *
 * W1. While the agent runs a file that cannot be read may be half-written: it is looked at again. The last reading counts as it is.
 * W2. The first step that the life cycle does not have is what is wrong, whatever is written afterwards.
 * W3. A new file in messages/ is a sign of life, too.
 */
import { join } from "node:path";
import type { WorkState } from "../../runtime/agents/port.ts";
import type { Clock } from "../../runtime/clock.ts";
import { look } from "../../runtime/workspaces/safe-path.ts";
import { isErrno } from "../../soup/errno.ts";
import { MESSAGES_FOLDER, STATUS_FILE } from "./layout.ts";
import { advance } from "./life-cycle.ts";
import { progressLine, readStatusJson, type StatusReading, type StatusReport } from "./status-json.ts";

/** Where an agent has come, as far as it was followed. */
export type Followed = {
  readonly state: WorkState;
  /** Newest report; null while there is none. */
  readonly report: StatusReport | null;
  /** What its life cycle does not have, as the end of a sentence about status.json (W2). */
  readonly violation: string | null;
};

/** A home in which nothing has happened. */
export const UNFOLLOWED: Followed = { state: "pending", report: null, violation: null };

/** Takes up a reading. `last`: nobody writes any more (W1). Pure. */
export function follow(followed: Followed, reading: StatusReading, last: boolean): Followed {
  if (followed.violation !== null) return followed;
  if ("problem" in reading)
    return reading.torn && !last ? followed : { ...followed, violation: reading.problem };
  const { report } = reading;
  const next = advance(followed.state, { state: report.state, started: report.started !== null });
  if ("refused" in next) return { ...followed, violation: next.refused };
  return { ...followed, state: next.state, report };
}

/** The watch over one turn. */
export type StatusWatch = {
  /** Ends the watch with a last reading; to be called when nobody writes any more. */
  readonly end: () => Promise<Followed>;
};

/** What there is to tell: nothing before the work has begun. */
function lineOf({ state, report, violation }: Followed): string {
  if (violation !== null) return `${STATUS_FILE} ${violation}`;
  return report === null || state === "pending" ? "" : progressLine(report);
}

/** What changes with each new file in messages/ (W3); undefined where that cannot be told. */
async function messagesAt(home: string): Promise<number | bigint | undefined> {
  try {
    return (await look(join(home, MESSAGES_FOLDER)))?.ctimeMs;
  } catch (error) {
    if (isErrno(error, "EACCES", "ELOOP")) return undefined;
    throw error;
  }
}

/** Looks at status.json of the home every `interval` milliseconds; tells of each change of what it says. */
export function watchStatus(
  home: string,
  { clock, interval }: { readonly clock: Clock; readonly interval: number },
  tell: (line: string) => void,
): StatusWatch {
  let followed = UNFOLLOWED;
  let told = "";
  let isOver = false;
  let cancel = () => {};
  let looking: Promise<void> = Promise.resolve();
  const take = (reading: StatusReading, last: boolean): void => {
    followed = follow(followed, reading, last);
    const line = lineOf(followed);
    if (line !== "" && line !== told) tell(line);
    told = line;
  };
  let messages: number | bigint | undefined;
  const lookOnce = async (): Promise<void> => {
    take(await readStatusJson(home), false);
    const now = await messagesAt(home);
    if (messages !== undefined && now !== messages) tell(told === "" ? `writes ${MESSAGES_FOLDER}/` : told);
    messages = now;
    if (!isOver) wait();
  };
  const wait = (): void => {
    cancel = clock.timer(interval, () => {
      looking = lookOnce();
      // Whoever ends the watch hears of it.
      looking.catch(() => undefined);
    });
  };
  wait();
  return {
    end: async () => {
      isOver = true;
      cancel();
      await looking;
      take(await readStatusJson(home), true);
      return followed;
    },
  };
}
