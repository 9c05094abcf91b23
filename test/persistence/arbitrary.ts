/** Arbitrary logs, for the properties of chain and codec. */
import * as fc from "fast-check";
import { EMPTY_HEAD, type Sealed, sealRound } from "../../src/persistence/chain.ts";
import type { Draft } from "../../src/persistence/entry.ts";

const text = fc.string({ unit: "binary" });
const name = fc.string({ minLength: 1, unit: "grapheme" });
/** Readers build objects key by key, where `__proto__` is no key like others; no name of ours can be that. */
const key = name.filter((word) => word !== "__proto__");

const noteDraft = fc.record({
  level: fc.constantFrom("info", "warn", "error"),
  thread: fc.option(name),
  text,
});
const fireDraft = fc.record({ rule: name, at: fc.dictionary(key, text) });
const configureDraft = fc.record({
  budget: fc.dictionary(key, fc.double({ noNaN: true, noDefaultInfinity: true })),
  origin: fc.constantFrom("human", "engine"),
});

const draft: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ kind: fc.constant("note"), body: noteDraft }),
  fc.record({ kind: fc.constant("fire"), body: fireDraft }),
  fc.record({ kind: fc.constant("configure"), body: configureDraft }),
);

/** A log of one to twelve entries in rounds of one to three. */
export const log: fc.Arbitrary<readonly Sealed[]> = fc
  .tuple(name, fc.array(fc.array(draft, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }))
  .map(([job, rounds]) => {
    const sealed: Sealed[] = [];
    for (const [index, drafts] of rounds.entries()) {
      const at = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString();
      sealed.push(...sealRound(job, sealed.at(-1)?.row ?? EMPTY_HEAD, at, drafts));
    }
    return sealed;
  });
