/** "Did you mean": the known word that a misspelt one most resembles. */

/**
 * The known word nearest to `word`, if one is near: at most a third of its letters wrong, case and `-`/`_` aside.
 * Of equally near ones the first.
 */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const folded = fold(word);
  const near = known
    .map((candidate) => ({ candidate, distance: distance(folded, fold(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll("-", "_").slice(0, 64);
}

/** Edits (insert, delete, replace, swap of neighbours) that lead from one word to the other. */
function distance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = [at(row, j) + 1, at(next, j - 1) + 1, at(row, j - 1) + cost];
      if (swapped) edits.push(at(previous, j - 2) + 1);
      next.push(Math.min(...edits));
    }
    previous = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
