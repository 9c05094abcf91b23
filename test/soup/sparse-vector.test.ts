/** The sparse vector against a Map, snapshots included. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { SparseVector } from "../../src/soup/sparse-vector.ts";

const index = fc.oneof(fc.nat(3), fc.nat(40), fc.nat(1_100), fc.nat(2 ** 31 - 1));

test("it is a map from small integers in the order of the integers, and every version stays", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(index, fc.option(fc.nat(9), { nil: undefined }))), (changes) => {
      let vector = SparseVector.empty<number>();
      const model = new Map<number, number>();
      const versions: { vector: SparseVector<number>; model: Map<number, number> }[] = [];
      for (const [at, item] of changes) {
        versions.push({ vector, model: new Map(model) });
        vector = vector.set(at, item);
        if (item === undefined) model.delete(at);
        else model.set(at, item);
      }
      versions.push({ vector, model });
      for (const version of versions) {
        const sorted = [...version.model].sort(([one], [other]) => one - other);
        expect([...version.vector]).toEqual(sorted.map(([, item]) => item));
        for (const [at] of changes) expect(version.vector.get(at)).toBe(version.model.get(at));
      }
    }),
  );
});

test.each([0, 1, 31, 32, 33, 1_023, 1_024, 2 ** 20, 2 ** 31 - 1, 2 ** 32 - 1])(
  "nothing stands at %d before it is set, and at its neighbours after",
  (at) => {
    const vector = SparseVector.empty<string>();
    expect(vector.get(at)).toBe(undefined);
    const set = vector.set(at, "x");
    expect([set.get(at), set.get(at === 0 ? 32 : at - 1), set.get(0)]).toEqual([
      "x", undefined, at === 0 ? "x" : undefined,
    ]); // prettier-ignore
    expect(vector.get(at)).toBe(undefined);
  },
);
