/**
 * A section file: one line per commit, read by people and by the lead.
 *
 *     - feat! `1a2b3c4` **parser:** accept empty input
 */
import { CLASSES, classify } from "./classify.mjs";
import { readCommits } from "./history.mjs";
import { escapeMarkdown } from "./markdown.mjs";
import { coverageFault, cutNames, indexNames } from "./names.mjs";
import { readText, sectionPath } from "./files.mjs";

const LINE = /^- (?<class>[a-z]+)(?<breaking>!)? `(?<name>[0-9a-f]{7,})` (?<text>.+)$/;

function describeCommit(commit, index) {
  const {
    class: kind,
    breaking,
    scope,
    text,
  } = classify({ ...commit, subject: cutNames(commit.subject, index) });
  const lead = scope === "" ? "" : `**${escapeMarkdown(scope)}:** `;
  return `- ${kind}${breaking ? "!" : ""} \`${commit.name}\` ${lead}${escapeMarkdown(text)}`;
}

/** The text of section `number` of a plan, from what git says about its commits. */
export async function writeSection(plan, number) {
  const index = indexNames(plan.sections.flat());
  const commits = await readCommits(plan.sections[number - 1]);
  const lines = commits.map((commit) => describeCommit(commit, index));
  return `# Section ${number} of ${plan.sections.length}\n\n${lines.join("\n")}\n`;
}

/** The entries of a section: class, breaking, name, text. Other lines are not for the notes. */
const readSection = (text) =>
  text
    .split("\n")
    .map((line) => LINE.exec(line)?.groups)
    .filter((entry) => entry !== undefined && CLASSES.has(entry.class))
    .map((entry) => ({ ...entry, breaking: entry.breaking !== undefined }));

/**
 * Reads all sections of a plan: `{ entries, faults }`, a fault `{ number, reason }` for each section that does not name
 * each of its commits exactly once.
 */
export async function readSections(plan) {
  const entries = [];
  const faults = [];
  for (const [at, hashes] of plan.sections.entries()) {
    const text = await readText(sectionPath(at + 1));
    const section = readSection(text ?? "");
    const reason =
      text === undefined
        ? `${sectionPath(at + 1)} is not there`
        : coverageFault(
            section.map(({ name }) => name),
            hashes,
          );
    if (reason !== undefined) faults.push({ number: at + 1, reason });
    entries.push(...section);
  }
  return { entries, faults };
}
