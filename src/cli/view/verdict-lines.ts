/** What `cfa verify` found, for people. */
import type { Verification } from "../../engine/verify.ts";
import { count } from "./text.ts";

/** The lines; the first one says whether the log is valid. */
export function verdictLines(found: Verification): readonly string[] {
  const { job, entries, commits, head, made, notMade, remarks, offence } = found;
  const size = `${entries === 1 ? "1 entry" : `${entries} entries`} in ${count(commits, "commit")}`;
  if (offence !== null) {
    const { check, seq, claim, problem, found: there } = offence;
    return [
      `invalid: entry ${seq}${job === null ? "" : ` of ${job}`}: ${claim}`,
      `  ${check}: ${problem}`,
      ...(there.length === 0 ? [] : [`  there is: ${there.join(" ‖ ")}`]),
      `${size} before it hold`,
    ];
  }
  const width = Math.max(...[...made, ...notMade].map(({ check }) => check.length));
  const row = ({ check, says }: { readonly check: string; readonly says: string }) =>
    `  ${check.padEnd(width)}  ${says}`;
  return [
    `valid: ${job ?? ""}, ${size}`,
    ...made.map(row),
    ...(notMade.length === 0 ? [] : ["not checked:", ...notMade.map(row)]),
    ...remarks.map((remark) => `note: ${remark}`),
    `head: ${entries}:${head}`,
  ];
}
