/** One thing that cfa needs of a machine, tried out. */
export type Finding = {
  readonly what: string;
  /** `ok`; `limited`: jobs run, but something cannot be had; `missing`: a job as `cfa init` writes it cannot run. */
  readonly result: "ok" | "limited" | "missing";
  /** What was found, the beginning or the whole of a sentence. */
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly advice: string | null;
};

/** Nothing to do. */
export const ok = (what: string, detail: string): Finding => ({ what, result: "ok", detail, advice: null });

/** Jobs run, but something cannot be had. */
export const limited = (what: string, detail: string, advice: string | null): Finding => ({
  what,
  result: "limited",
  detail,
  advice,
});

/** A job as `cfa init` writes it cannot run. */
export const missing = (what: string, detail: string, advice: string): Finding => ({
  what,
  result: "missing",
  detail,
  advice,
});
