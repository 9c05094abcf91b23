/** A bug in cfa: something that the code holds to be impossible has happened. Never caught, except to be shown. */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation";
}

/**
 * States what must be true at this point.
 * @throws InvariantViolation with the sentence when it is not: that is a bug in cfa, not in its input.
 */
export function invariant(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new InvariantViolation(`bug in cfa: ${sentence}`);
}
