/** Elapsed time for people: two units at most, `340ms`, `2.1s`, `1m 05s`, `3h 20m`, `2d 4h`. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Writes a number of milliseconds; a negative one (a clock that was set back) counts as none. */
export function elapsed(millis: number): string {
  const time = Math.max(0, Math.floor(millis));
  if (time < SECOND) return `${time}ms`;
  if (time < 10 * SECOND) return `${(Math.floor(time / 100) / 10).toFixed(1)}s`;
  if (time < MINUTE) return `${Math.floor(time / SECOND)}s`;
  if (time < HOUR) return pair(time, MINUTE, "m", SECOND, "s");
  if (time < DAY) return pair(time, HOUR, "h", MINUTE, "m");
  return `${Math.floor(time / DAY)}d ${Math.floor((time % DAY) / HOUR)}h`;
}

/** The time between two wall times in ISO 8601. */
export function between(from: string, to: string | Date): string {
  return elapsed(new Date(to).getTime() - Date.parse(from));
}

function pair(time: number, large: number, one: string, small: number, two: string): string {
  const rest = Math.floor((time % large) / small);
  return `${Math.floor(time / large)}${one} ${String(rest).padStart(2, "0")}${two}`;
}
