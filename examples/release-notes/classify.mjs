/**
 * The class of a commit: its conventional-commit type, or else what its files say.
 *
 * C1. Every commit has exactly one class of {@link CLASSES}.
 * C2. A subject that only looks like a type (`parser: …`) is classified by files and kept whole.
 */

/** Classes in the order of the notes, with their titles. */
export const CLASSES = new Map([
  ["feat", "Features"],
  ["fix", "Fixes"],
  ["perf", "Performance"],
  ["change", "Other changes to the code"],
  ["refactor", "Refactoring"],
  ["revert", "Reverts"],
  ["docs", "Documentation"],
  ["test", "Tests"],
  ["build", "Build and dependencies"],
  ["ci", "Continuous integration"],
  ["style", "Style"],
  ["chore", "Chores"],
  ["merge", "Merges"],
  ["empty", "Commits without a change"],
]);

const TYPES = new Map([
  ...["feat", "fix", "perf", "refactor", "revert", "docs", "test", "build", "ci", "style", "chore"].map(
    (type) => [type, type],
  ),
  ["feature", "feat"],
  ["bugfix", "fix"],
  ["hotfix", "fix"],
  ["doc", "docs"],
  ["tests", "test"],
  ["deps", "build"],
]);

const CONVENTIONAL = /^(?<type>[a-z]+)(?:\((?<scope>[^()]*)\))?(?<bang>!)?:\s+(?<text>\S.*)$/is;
const BREAKING_FOOTER = /^BREAKING[ -]CHANGE:\s/m;

/** What kind of file a path is; the first that matches counts. */
const KINDS = [
  [
    "ci",
    /^(\.github\/(workflows|actions)\/|\.circleci\/|\.ci\/|\.buildkite\/)|^(\.gitlab-ci\.yml|\.travis\.yml|appveyor\.yml|azure-pipelines\.yml|Jenkinsfile)$/,
  ],
  [
    "test",
    /(^|\/)(tests?|__tests__|specs?|fixtures|testdata)\/|[._-](test|spec)s?\.[^/]+$|(^|\/)test_[^/]+\.py$/i,
  ],
  [
    "docs",
    /(^|\/)docs?\/|\.(md|mdx|rst|adoc|txt)$|(^|\/)(README|LICENSE|CHANGELOG|CONTRIBUTING|AUTHORS)[^/]*$/i,
  ],
  [
    "build",
    /(^|\/)(package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|Makefile|CMakeLists\.txt|Dockerfile|Cargo\.(toml|lock)|go\.(mod|sum)|pyproject\.toml|poetry\.lock|setup\.(py|cfg)|Gemfile(\.lock)?|pom\.xml|[^/]+\.gradle(\.kts)?|requirements[^/]*\.txt)$/,
  ],
];

const kindOf = (path) => KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? "change";

/** The class that the touched files give: code wins, for it is what a reader meets; else the most frequent kind. */
function classOfFiles(files) {
  const counts = new Map();
  for (const file of files) counts.set(kindOf(file), (counts.get(kindOf(file)) ?? 0) + 1);
  if (counts.size === 0) return "empty";
  if (counts.has("change")) return "change";
  return [...counts].sort(([, a], [, b]) => b - a)[0][0];
}

/** Classifies a commit as `readCommits` gives it; `text` is what is left to say once class and scope are known. */
export function classify({ subject, body, parents, files }) {
  const groups = CONVENTIONAL.exec(subject)?.groups;
  const type = TYPES.get(groups?.type.toLowerCase());
  const footer = BREAKING_FOOTER.test(body);
  if (type !== undefined) {
    const scope = groups.scope?.trim() ?? "";
    return { class: type, breaking: footer || groups.bang !== undefined, scope, text: groups.text };
  }
  const byShape = parents > 1 ? "merge" : /^Revert "/.test(subject) ? "revert" : undefined;
  return { class: byShape ?? classOfFiles(files), breaking: footer, scope: "", text: subject };
}
