/** The set of configurations: nothing is lost to a hash, to growth, or to how a configuration was reached. */
import { expect, test } from "vitest";
import { type Site, Sites } from "../../../src/rules/explore/site.ts";
import { States } from "../../../src/rules/explore/states.ts";
import { Edit } from "../../../src/soup/edit.ts";
import type { Cell } from "../../../src/soup/cell.ts";
import { parseMolecule } from "../../../src/soup/parse.ts";
import { configurationFrom } from "../trace.ts";

function cellOf(soup: string, thread: string): Cell {
  const cell = configurationFrom(soup).cell(thread);
  if (cell === undefined) throw new Error(`${soup} has nothing on ${thread}`);
  return cell;
}

/** Sites of `threads` threads, each with mailboxes of 0, 1, … messages. */
function mailboxes(sites: Sites, threads: number, sizes: number): Site[][] {
  return Array.from({ length: threads }, (_, t) =>
    Array.from({ length: sizes }, (_unused, size) => {
      const mail = Array.from({ length: size }, () => "m").join(",");
      return sites.of(cellOf(`Mailbox(A,t${t},[${mail}])`, `t${t}`), []);
    }),
  );
}

test("configurations with one hash stay apart", () => {
  const sites = new Sites();
  const [left = [], right = []] = mailboxes(sites, 2, 30);
  const states = new States(sites);
  const vectors = left.flatMap((one) => right.map((other) => Int32Array.of(one.id, other.id, 0, 0)));
  const numbers = vectors.map((vector) => {
    expect(states.find(vector, 7)).toBe(-1);
    return states.add(vector, 7, -1);
  });
  expect(numbers).toEqual(vectors.map((_, at) => at));
  expect(vectors.map((vector) => states.find(vector, 7))).toEqual(numbers);
  expect(states.find(vectors[0] ?? new Int32Array(4), 8)).toBe(-1);
});

test("growth and wider vectors keep what was found", () => {
  const sites = new Sites();
  const [left = [], right = []] = mailboxes(sites, 2, 150);
  const states = new States(sites);
  const hash = (one: Site, other: Site) => (one.hash + other.hash) | 0;
  for (const one of left)
    for (const other of right) states.add(Int32Array.of(one.id, other.id, 0, 0), hash(one, other), -1);
  const { width } = states;
  states.widen(width + 1);
  expect([states.count, states.width]).toEqual([150 * 150, 2 * width]);
  const wide = new Int32Array(states.width);
  let number = 0;
  for (const one of left) {
    for (const other of right) {
      wide.set([one.id, other.id]);
      if (states.find(wide, hash(one, other)) !== number)
        expect(states.find(wide, hash(one, other))).toBe(number);
      number++;
    }
  }
});

test.each<readonly [what: string, one: string, other: string, same: boolean]>([
  ["the order of molecules", "Idle(A,t) ‖ Idle(B,t)", "Idle(B,t) ‖ Idle(A,t)", true],
  ["how often a molecule is there", "Idle(A,t) ‖ Idle(A,t)", "Idle(A,t)", false],
  ["the order of mail", "Mailbox(A,t,[a,b])", "Mailbox(A,t,[b,a])", false],
  ["the end mode", "Terminate(t)", "Terminate(t,drop)", false],
  ["a quoted separator", 'Mailbox(A,t,["a\\nb"])', 'Mailbox(A,t,["a","b"])', false],
  ["being closed", "Idle(A,t) ; closed t", "Idle(A,t)", false],
])("as for %s, two sites are the same: %s, %s: %s", (_what, one, other, same) => {
  const sites = new Sites();
  const [first, second] = [sites.of(cellOf(one, "t"), []), sites.of(cellOf(other, "t"), [])];
  expect(first.state === second.state).toBe(same);
});

test("turn numbers make no difference, decisions do", () => {
  const sites = new Sites();
  const idle = cellOf("Idle(A,t)", "t");
  expect(sites.of({ ...idle, turns: 5 }, []).id).toBe(sites.of(idle, []).id);
  expect(sites.of(idle, [["A", 1]]).state).not.toBe(sites.of(idle, []).state);
});

test("children in other seats are the same configuration, yet another site", () => {
  const sites = new Sites();
  const ordered = cellOf("Parent(a,t) ‖ Parent(b,t)", "t");
  const other = cellOf("Parent(b,t) ‖ Parent(a,t)", "t");
  const [one, two] = [sites.of(ordered, []), sites.of(other, [])];
  expect(one.state).toBe(two.state);
  expect(one.id).not.toBe(two.id);
});

test("a thread on which nothing is left is the same as one that was never there", () => {
  const sites = new Sites();
  const before = configurationFrom("Idle(A,t)");
  const idle = before.cell("t")?.lifecycles[0] ?? parseMolecule("Idle(A,t)");
  const after = new Edit(before).remove(idle).done().cell("t");
  expect(after === undefined ? undefined : sites.of(after, []).id).toBe(0);
});
