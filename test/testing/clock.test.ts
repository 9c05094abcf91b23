/** The clock that a test moves. */
import { expect, test } from "vitest";
import { manualClock } from "../../src/testing.ts";

test("it stands still until it is moved", () => {
  const clock = manualClock("2026-03-01T12:00:00Z");
  expect(clock.now().toISOString()).toBe("2026-03-01T12:00:00.000Z");
  expect(clock.advance(1_500)).toBe(0);
  expect(clock.now().toISOString()).toBe("2026-03-01T12:00:01.500Z");
});

test("timers fire in the order of their time, each at its own", () => {
  const clock = manualClock();
  const start = clock.now().getTime();
  const fired: [string, number][] = [];
  const set = (name: string, millis: number) =>
    clock.timer(millis, () => fired.push([name, clock.now().getTime() - start]));
  set("late", 30);
  set("early", 10);
  set("as early", 10);
  set("later", 31);
  set("past", -5);
  expect([clock.timers, clock.advance(30), clock.timers]).toEqual([5, 4, 1]);
  expect(fired).toEqual([["past", 0], ["early", 10], ["as early", 10], ["late", 30]]); // prettier-ignore
  expect(clock.advance(1)).toBe(1);
});

test("a timer set on the way fires if it is due on the way", () => {
  const clock = manualClock();
  const fired: string[] = [];
  clock.timer(10, () => {
    fired.push("one");
    clock.timer(5, () => fired.push("two"));
    clock.timer(50, () => fired.push("three"));
  });
  expect(clock.advance(20)).toBe(2);
  expect(fired).toEqual(["one", "two"]);
});

test("a timer that is called off does not fire", () => {
  const clock = manualClock();
  const off = clock.timer(10, () => expect.unreachable("it was called off"));
  off();
  off();
  expect([clock.timers, clock.advance(100)]).toEqual([0, 0]);
});

test("what is no time is refused", () => {
  expect(() => manualClock("noon")).toThrow('"noon" is no time; write it like 2026-01-01T00:00:00Z');
});
