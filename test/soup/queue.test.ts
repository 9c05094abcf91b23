/** The queue against arrays, branches included. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Queue } from "../../src/soup/queue.ts";

type Step = { readonly from: number; readonly verb: "push" | "pop" | "unshift"; readonly item: number };

const step: fc.Arbitrary<Step> = fc.record({
  from: fc.nat(),
  verb: fc.constantFrom("push", "push", "push", "pop", "unshift"),
  item: fc.nat(),
});

test("every queue ever made keeps its items, whatever is done to the queues it came from or that came from it", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 5 }), fc.array(step, { maxLength: 60 }), (start, steps) => {
      const queues = [Queue.from(start)];
      const arrays: (readonly number[])[] = [start];
      for (const { from, verb, item } of steps) {
        const at = from % queues.length;
        const [queue = Queue.of<number>(), array = []] = [queues[at], arrays[at]];
        queues.push(verb === "push" ? queue.push(item) : verb === "pop" ? queue.pop() : queue.unshift(item));
        arrays.push(verb === "push" ? [...array, item] : verb === "pop" ? array.slice(1) : [item, ...array]);
      }
      expect(queues.map((queue) => [...queue])).toEqual(arrays);
      expect(queues.map(({ length }) => length)).toEqual(arrays.map(({ length }) => length));
      expect(queues.map(({ head }) => head)).toEqual(arrays.map(([head]) => head));
    }),
  );
});

test("pushes on two descendants of one queue never see each other", () => {
  const shared = Queue.of(1, 2);
  const [one, other] = [shared.push(3), shared.push(4)];
  expect([...one.push(5)]).toEqual([1, 2, 3, 5]);
  expect([...other.push(6)]).toEqual([1, 2, 4, 6]);
  expect([...shared]).toEqual([1, 2]);
});

test("a long queue that is consumed from the front keeps its order", () => {
  let queue = Queue.from(Array.from({ length: 1_000 }, (_, at) => at));
  const seen: (number | undefined)[] = [];
  for (; queue.length > 0; queue = queue.pop()) seen.push(queue.head);
  expect(seen).toEqual(Array.from({ length: 1_000 }, (_, at) => at));
});

test.each([
  ["of nothing", Queue.of<string>()],
  ["from nothing", Queue.from<string>([])],
  ["popped to its end", Queue.of("x").pop()],
  ["popped past its end", Queue.of("x").pop().pop()],
])("a queue %s is empty and takes items", (_what, queue) => {
  expect([queue.length, queue.head, [...queue]]).toEqual([0, undefined, []]);
  expect([...queue.push("a").push("b")]).toEqual(["a", "b"]);
  expect([...queue]).toEqual([]);
});
