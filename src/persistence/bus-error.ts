/**
 * What can go wrong with a stored or exported log, as one error type with a code for programs and a sentence for people.
 */

/**
 * Why a store could not do what was asked:
 * `missing` no file; `foreign` not a cfa log; `version` of another cfa; `job` of another job; `corrupt` damaged;
 * `full` no space left; `busy` locked too long; `read-only` opened or mounted so; `closed` used after close;
 * `name` not a job id; `io` anything else the system said.
 */
export type BusErrorCode =
  | "missing"
  | "foreign"
  | "version"
  | "job"
  | "corrupt"
  | "full"
  | "busy"
  | "read-only"
  | "closed"
  | "name"
  | "io";

/** A store refused or failed. The message says where, what, and what to do; nothing was written. */
export class BusError extends Error {
  override readonly name = "BusError";
  readonly code: BusErrorCode;

  constructor(code: BusErrorCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.code = code;
  }
}
