/**
 * Mistakes in a job file: where, what, and what to do instead.
 *
 * K1. All mistakes of a file are reported at once, in the order of the file.
 * K2. Each is one sentence; none shows a stack or the words of a library.
 */

/** A mistake at a place of the file, before the place has a line. */
export type Problem = {
  /** Keys that lead to it. */
  readonly path: readonly PropertyKey[];
  /** Points at the key itself, not at its value. */
  readonly atKey?: boolean;
  readonly sentence: string;
  readonly hint?: string;
};

/** A mistake as it is shown. */
export type Mistake = {
  readonly file: string;
  /** From 1; null when the file could not be read at all. */
  readonly line: number | null;
  readonly column: number | null;
  readonly sentence: string;
  /** What to do instead, where that can be said. */
  readonly hint: string | null;
};

/** The job file cannot be used; carries every mistake. Its message is one line a mistake. */
export class JobFileError extends Error {
  override readonly name = "JobFileError";
  readonly mistakes: readonly Mistake[];

  constructor(mistakes: readonly Mistake[]) {
    super(mistakes.map(formatMistake).join("\n"));
    this.mistakes = mistakes;
  }
}

/** `job.yaml:3:5: limits.fan_out must be a whole number, 1 or more (hint)`. */
function formatMistake({ file, line, column, sentence, hint }: Mistake): string {
  const place = line === null || column === null ? file : `${file}:${line}:${column}`;
  return `${place}: ${sentence}${hint === null ? "" : ` (${hint})`}`;
}

/** Writes the keys that lead to a place as they are spoken of: `agents.lead.run[0]`. */
export function keyPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((written, key) => {
    if (typeof key === "number") return `${written}[${key}]`;
    return written === "" ? String(key) : `${written}.${String(key)}`;
  }, "");
}
