/**
 * PLAN.md: the range, split into sections of neighbouring commits.
 *
 * P1. The sections cover the range: each of its commits stands in exactly one of them, newest first.
 * P2. There are at least three sections where there are at least three commits, and at most {@link MOST}.
 */
import { listCommits, rangeFits } from "./history.mjs";
import { readText, sectionPath, writeText } from "./files.mjs";
import { isRange, rangeInWords } from "./intent.mjs";
import { jsonBlock, readJsonBlock } from "./markdown.mjs";

const FEWEST = 3;
const MOST = 12;
const PER_SECTION = 50;

/** Splits a list into sections that differ by one commit at most (P2). */
function split(hashes) {
  const wanted = Math.min(MOST, Math.max(FEWEST, Math.ceil(hashes.length / PER_SECTION)));
  const count = Math.min(wanted, hashes.length);
  const cut = (index) => Math.floor((index * hashes.length) / count);
  return Array.from({ length: count }, (_, index) => hashes.slice(cut(index), cut(index + 1)));
}

const isSection = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((hash) => typeof hash === "string");

/** The plan `{ range, sections }` that PLAN.md holds; undefined when it holds none that covers its range (P1). */
export async function readPlan(path) {
  const plan = readJsonBlock((await readText(path)) ?? "");
  if (!isRange(plan?.range) || !Array.isArray(plan.sections) || !plan.sections.every(isSection))
    return undefined;
  if (!(await rangeFits(plan.range))) return undefined;
  const planned = plan.sections.flat().sort();
  const commits = (await listCommits(plan.range)).sort();
  return planned.length === commits.length && planned.every((hash, at) => hash === commits[at])
    ? plan
    : undefined;
}

function describePlan({ range, sections }) {
  const rows = sections.map((hashes, at) => `| ${at + 1} | ${hashes.length} | \`${sectionPath(at + 1)}\` |`);
  return `# Plan: release notes

${range.commits} commits, ${rangeInWords(range)}, in ${sections.length} sections of neighbouring commits. One writer per
section, at most three at a time; then one check of all sections; then the notes are assembled.

| section | commits | file |
| ------- | ------- | ---- |
${rows.join("\n")}

## Commits of each section, newest first

${jsonBlock({ range, sections })}`;
}

/** Writes PLAN.md for a range, or keeps it where it fits; resolves with a sentence that says which. */
export async function settlePlan(path, range) {
  const kept = await readPlan(path);
  if (
    kept !== undefined &&
    kept.range.to.hash === range.to.hash &&
    kept.range.from?.hash === range.from?.hash
  )
    return `${path} fits and is kept: ${kept.sections.length} sections.`;
  const sections = split(await listCommits(range));
  await writeText(path, describePlan({ range, sections }));
  return `${path} is written: ${range.commits} commits in ${sections.length} sections.`;
}
