/** What a scheduler is made of, and how its run ends. */
import type { Draft, Entry } from "../persistence/entry.ts";
import type { Bus, Owner } from "../persistence/ports.ts";
import type { Configuration } from "../soup/configuration.ts";
import type { ThreadId } from "../soup/message.ts";
import type { TurnEvent } from "./agents/port.ts";
import type { AnchorPort } from "./anchor.ts";
import type { Clock } from "./clock.ts";
import type { Director } from "./director.ts";
import type { EffectsOptions } from "./effects.ts";
import type { Ledger } from "./ledger.ts";

/** The scheduler's own folds, and the newest entry that is in them. */
export type SchedulerFolds = {
  readonly configuration: Configuration;
  readonly ledger: Ledger;
  readonly seq: number;
  readonly hash: string;
  readonly at: string;
};

/** What a scheduler is made of. */
export type SchedulerOptions = Omit<EffectsOptions, "director" | "clock" | "refuseLost"> & {
  readonly bus: Bus;
  readonly director: Director;
  readonly clock: Clock;
  /** First entries of a new job; a log that is not empty is resumed instead. */
  readonly opening: () => readonly Draft[];
  /** Entries to add when a job is resumed, for example a larger budget. */
  readonly first: readonly Draft[];
  /** Go on waiting when only a human can help; otherwise the run ends as `waiting`. */
  readonly waitForHuman: boolean;
  /** How often the inbox is asked, milliseconds. */
  readonly poll: number;
  readonly onEntry?: (entry: Entry) => void;
  readonly onTurnEvent?: (thread: ThreadId, event: TurnEvent) => void;
  /** Kills what a crashed owner left running. */
  readonly killStray: (pid: number, started: string) => Promise<void>;
  /**
   * What has been folded of the log before, and at which entry its checkpoint stands; absent to fold it from its first entry
   * on. The scheduler goes on with these very folds.
   */
  readonly folded?: SchedulerFolds & { readonly saved: number };
  /** Writes a checkpoint of these folds and of the director's. Returns its length in characters. Absent to write none. */
  readonly checkpoint?: (folds: SchedulerFolds) => Promise<number>;
  /** Keeps number and hash of the newest entry outside the log too; absent where there is no such place. */
  readonly anchor?: AnchorPort;
};

/** How a run of the scheduler ended. */
export type RunEnd =
  | { readonly kind: "ended"; readonly state: string }
  | { readonly kind: "waiting"; readonly questions: readonly string[] }
  | { readonly kind: "parked"; readonly why: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "owned"; readonly owner: Owner };
