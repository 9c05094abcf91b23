/** Steps that run at the same time. */

/**
 * Waits for all of `steps`, also when one fails: whoever cleans up then meets none that still writes. Rejects with the first failure,
 * in the order given.
 */
export async function together<T extends readonly unknown[] | []>(
  steps: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(steps);
  return Promise.all(steps);
}
