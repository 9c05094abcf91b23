/**
 * Names of commits in a text, and the promise that each commit of a range is named exactly once.
 *
 * N1. A name is a run of seven or more hexadecimal digits with which exactly one hash of the range begins.
 * N2. Subjects may mention commits too ("Revert 1a2b3c4"); what would read as a name is cut to six digits, so that
 *     the entry of a commit is the only place that names it.
 */

const DIGITS = 7;

/** An index of hashes by their first seven digits. */
export function indexNames(hashes) {
  const index = new Map();
  for (const hash of hashes) {
    const key = hash.slice(0, DIGITS);
    index.set(key, [...(index.get(key) ?? []), hash]);
  }
  return index;
}

/** Cuts every mention of an indexed commit out of a text (N2). */
export function cutNames(text, index) {
  return text.replace(/[0-9a-f]{7,}/gi, (run) => {
    for (let at = 0; at + DIGITS <= run.length; at += 1) {
      if (index.has(run.slice(at, at + DIGITS).toLowerCase())) return `${run.slice(0, at + DIGITS - 1)}…`;
    }
    return run;
  });
}

/**
 * Compares names with the commits that they should name, each exactly once. Undefined when they do; else one
 * sentence.
 */
export function coverageFault(names, hashes) {
  const index = indexNames(hashes);
  const seen = new Set();
  for (const name of names) {
    const named = (index.get(name.slice(0, DIGITS)) ?? []).filter((hash) => hash.startsWith(name));
    if (named.length !== 1)
      return `${name} names ${named.length === 0 ? "no commit" : "more than one commit"} of it`;
    if (seen.has(named[0])) return `commit ${name} is named twice`;
    seen.add(named[0]);
  }
  const missing = hashes.filter((hash) => !seen.has(hash));
  if (missing.length === 0) return undefined;
  return `${missing.length} of ${hashes.length} commits are missing, ${missing[0].slice(0, 10)} among them`;
}

/** Every run of digits in a text that could be taken for the name of one of these commits (N1). */
export function namesIn(text, hashes) {
  const index = indexNames(hashes);
  return (text.match(/[0-9a-f]{7,}/g) ?? []).filter((run) =>
    index.get(run.slice(0, DIGITS))?.some((hash) => hash.startsWith(run)),
  );
}
