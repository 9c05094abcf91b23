/** Names that must be those of agents of the job. */
import type { Problem } from "./mistakes.ts";
import { didYouMean, quote } from "./problems.ts";

/** The problem of `name` where it is no key of `agents`; the empty word stands for a mistake of type, told elsewhere. */
export function unknownAgent(
  at: readonly PropertyKey[],
  where: string,
  name: string,
  agents: Readonly<Record<string, unknown>>,
): Problem[] {
  const known = Object.keys(agents);
  if (name === "" || known.includes(name)) return [];
  const hint = didYouMean(name, known) ?? `agents of this job: ${known.join(", ")}`;
  return [{ path: at, sentence: `${where} names ${quote(name)}, which is no agent of this job`, hint }];
}
