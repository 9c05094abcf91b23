/** Durations as job.yaml writes them: a whole number with a unit, `90s`, `30m`, `2h`. Inside cfa they are milliseconds. */

const MILLIS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const UNITS = ["ms", "s", "m", "h", "d"] as const;

/** What a duration looks like. */
export const DURATION_PATTERN = /^[0-9]+(ms|s|m|h|d)$/;

/** Longest duration: timers count milliseconds in 31 bits, 24.8 days. */
export const DURATION_MAX = 24 * MILLIS.d;

/** Milliseconds of a duration such as `30m`; undefined when the text is none, is zero or longer than `max`. */
export function parseDuration(text: string, max: number = DURATION_MAX): number | undefined {
  if (!DURATION_PATTERN.test(text)) return undefined;
  const unit = UNITS.find((candidate) => text.endsWith(candidate));
  if (unit === undefined) return undefined;
  const millis = Number(text.slice(0, -unit.length)) * MILLIS[unit];
  return millis > 0 && millis <= max ? millis : undefined;
}

/** The shortest way to write a number of milliseconds as a duration: 1800000 is `30m`. */
export function formatDuration(millis: number): string {
  const unit = UNITS.findLast((candidate) => millis % MILLIS[candidate] === 0 && millis > 0) ?? "ms";
  return `${millis / MILLIS[unit]}${unit}`;
}
