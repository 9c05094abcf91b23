/** The faults that a run can inject, each at a port, and how often each was. */

/** The kinds, in the order in which reports name them. */
export const FAULTS = {
  crash: "cfa is killed, and everything under way is lost",
  "crash-after-commit": "cfa is killed when a commit is on the disk and nothing has followed",
  "stray-agent": "the program of an agent outlives the cfa that was killed",
  stop: "cfa is told to stop in order",
  "commit-fails": "a commit is not written",
  "commit-unsure": "a commit is written, and its writer is told that it failed",
  "effect-fails": "an operation on a tree fails before it has done anything",
  "effect-unsure": "an operation on a tree is done, and reported as failed",
  freeze: "cfa stands still, loses the job, and wakes again",
  "stale-commit": "an owner that has lost the job commits",
  "hint-lost": "a hint of the bus is lost",
  "hint-doubled": "a hint of the bus comes twice",
  "late-result": "an agent that was told to stop ends as if it had not been",
  "event-doubled": "an agent reports its start twice",
  "hanging-agent": "an agent never ends by itself",
  "bad-output": "an agent leaves files that cfa did not write",
  "notification-fails": "the human cannot be told of a question",
  "time-jump": "much time passes at once",
  answer: "a person answers",
  "late-answer": "a person answers a question that is over, or never was",
  interrupt: "a person interrupts",
  tell: "a person sends mail",
  withdraw: "a person withdraws the job",
  pause: "a person parks the job",
  "post-doubled": "a wish is posted twice",
} as const;

/** Name of a kind. */
export type Fault = keyof typeof FAULTS;

/** How often each kind was injected. */
export type FaultCounts = Map<Fault, number>;

/** Counts one. */
export function countFault(counts: FaultCounts, fault: Fault, times = 1): void {
  counts.set(fault, (counts.get(fault) ?? 0) + times);
}
