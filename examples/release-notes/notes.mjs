/** RELEASE_NOTES.md: the entries of all sections by class, breaking changes first. */
import { CLASSES } from "./classify.mjs";
import { rangeInWords } from "./intent.mjs";
import { cutNames, indexNames } from "./names.mjs";

const item = ({ name, text }) => `- ${text} (\`${name}\`)`;
const breakingItem = ({ class: kind, name, text }) => `- ${text} (${kind}, \`${name}\`)`;

/** Titles and lines of the groups that are not empty, in the order of the notes. */
export function groupEntries(entries) {
  const groups = [
    { title: "Breaking changes", lines: entries.filter(({ breaking }) => breaking).map(breakingItem) },
    ...[...CLASSES].map(([kind, title]) => ({
      title,
      lines: entries.filter((entry) => !entry.breaking && entry.class === kind).map(item),
    })),
  ];
  return groups.filter(({ lines }) => lines.length > 0);
}

/** The whole document. Its header names no commit, so that each is named by its entry alone. */
export function assembleNotes(plan, entries) {
  const { range } = plan;
  const words = cutNames(rangeInWords(range), indexNames(plan.sections.flat()));
  const shallow = range.shallow ? " The repository is a shallow clone: older commits are not covered." : "";
  const header = `# Release notes

${words[0].toUpperCase()}${words.slice(1)}: ${entries.length} ${entries.length === 1 ? "commit" : "commits"}, the newest of ${range.date}.${shallow}
`;
  const groups = groupEntries(entries).map(
    ({ title, lines }) => `\n## ${title} (${lines.length})\n\n${lines.join("\n")}\n`,
  );
  return header + groups.join("");
}
