/**
 * INTENT.md: which commits the notes cover, for whom, and what counts.
 *
 * The prose is for people; PLAN reads the block of JSON at the end. An INTENT.md that a person wrote without one is
 * kept as it is, and the range is added to it.
 */
import { git, findRange, rangeFits } from "./history.mjs";
import { NOTES, SCRATCH, readText, writeText } from "./files.mjs";
import { escapeMarkdown, jsonBlock, readJsonBlock } from "./markdown.mjs";
import { Failure } from "./turn.mjs";

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

const isEnd = (end) => typeof end?.name === "string" && typeof end.hash === "string" && HASH.test(end.hash);

/** Whether a value read from a document is a range as `findRange` gives it. */
export const isRange = (value) =>
  typeof value === "object" &&
  value !== null &&
  (value.from === null || isEnd(value.from)) &&
  isEnd(value.to) &&
  typeof value.date === "string" &&
  typeof value.shallow === "boolean" &&
  Number.isSafeInteger(value.commits) &&
  value.commits > 0;

/** The range that INTENT.md names; undefined when it names none that fits the repository. */
export async function readIntent(path) {
  const range = readJsonBlock((await readText(path)) ?? "");
  return isRange(range) && (await rangeFits(range)) ? range : undefined;
}

/** The range in words, for example `everything since v1.2.0`. */
export const rangeInWords = ({ from, to }) => {
  const end = to.name === "HEAD" ? "" : ` up to ${escapeMarkdown(to.name)}`;
  return from === null ? `the whole history${end}` : `everything since ${escapeMarkdown(from.name)}${end}`;
};

const commitCount = (count) => (count === 1 ? "1 commit" : `${count} commits`);

function describeRange(range) {
  const shallow = range.shallow
    ? "\nThis clone is shallow: older history is not here, and commits that are not here are not in the notes.\n"
    : "";
  return `## Range

The notes cover ${rangeInWords(range)}: ${commitCount(range.commits)}, merges included, the newest of ${range.date}.
${shallow}
The hashes below are what counts from here on, wherever tags and branches move.

${jsonBlock(range)}`;
}

const PROSE = `# Intent: release notes

## Audience

People who use or maintain this project and want to know what changed, and where to look it up.

## What counts

- Every commit of the range appears exactly once, named by its hash.
- A commit belongs to the class of its conventional-commit type (\`feat\`, \`fix\`, …), or else to the one that the
  files it touches suggest. Breaking changes stand first.
- The result is \`${NOTES}\`; a file of that name from an earlier release is replaced, and stays in the history.

`;

/** Writes INTENT.md, or keeps it where it fits; resolves with a sentence that says which. */
export async function settleIntent(path) {
  const tracked = await git(["ls-files", "-z", "--", SCRATCH]);
  if (tracked !== "")
    throw new Failure(`The repository tracks ${SCRATCH}/, where the sections are written: rename it.`);
  const kept = await readIntent(path);
  if (kept !== undefined)
    return `${path} fits and is kept: ${rangeInWords(kept)}, ${commitCount(kept.commits)}.`;
  const range = await findRange();
  const text = await readText(path);
  const prose = text === undefined || readJsonBlock(text) !== undefined ? PROSE : `${text.trimEnd()}\n\n`;
  await writeText(path, prose + describeRange(range));
  return `${path} is written: ${rangeInWords(range)}, ${commitCount(range.commits)}.`;
}
