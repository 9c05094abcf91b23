/**
 * The sections of instructions.md in a message that has been written with them (docs/files.md, "instructions.md"). Pure.
 *
 * S1. A heading counts by its words, whatever its level and case; inside a fenced block nothing is a heading.
 * S2. Other headings belong to the text of the section in which they stand.
 * S3. The time grows with the length of the text, whatever stands in it: others have written it.
 */

/** The sections, in the order of the protocol. */
export const SECTIONS = [
  "Objective",
  "Context",
  "Inputs Provided",
  "Requirements",
  "Success Criteria",
  "Constraints",
  "Output Expectations",
] as const;

/** One of {@link SECTIONS}. */
export type Section = (typeof SECTIONS)[number];

/** A message by its sections. */
export type Sectioned = {
  /** Words of a `# Task: …` heading; null where there is none. */
  readonly task: string | null;
  /** What stands before the first section. */
  readonly preamble: string;
  /** Sections with the same heading are joined. */
  readonly sections: ReadonlyMap<Section, string>;
};

const MARKS = /^ {0,3}#{1,6}[ \t]+/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** Takes a text apart. */
export function sectioned(text: string): Sectioned {
  let task: string | null = null;
  let isFenced = false;
  let at: Section | undefined;
  const preamble: string[] = [];
  const lines = new Map<Section, string[]>();
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const words = isFenced ? undefined : headingIn(line);
    const named = words === undefined ? undefined : sectionOf(words);
    const titled = words === undefined ? undefined : taskIn(words);
    if (named !== undefined) {
      at = named;
      if (!lines.has(named)) lines.set(named, []);
    } else if (titled !== undefined && task === null) task = titled;
    else if (at === undefined) preamble.push(line);
    else lines.get(at)?.push(line);
  }
  const sections = [...lines].map(([name, written]) => [name, written.join("\n").trim()] as const);
  return { task, preamble: preamble.join("\n").trim(), sections: new Map(sections) };
}

/** The words of a heading, without marks behind them (S3). */
function headingIn(line: string): string | undefined {
  const marks = MARKS.exec(line)?.[0];
  if (marks === undefined) return undefined;
  const words = line.slice(marks.length).trimEnd();
  let end = words.length;
  while (words[end - 1] === "#") end -= 1;
  return words.slice(0, end).trimEnd();
}

/** What a heading `Task: …` names. */
function taskIn(words: string): string | undefined {
  return /^task:/i.test(words) ? words.slice("task:".length).trim() || undefined : undefined;
}

function sectionOf(words: string): Section | undefined {
  const wanted = words.replace(/:$/, "").trim().toLowerCase();
  return SECTIONS.find((name) => name.toLowerCase() === wanted);
}
