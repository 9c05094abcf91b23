/** Configurations against a naive list of molecules: indices, numbers, snapshots. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Configuration } from "../../src/soup/configuration.ts";
import { configurationOf, Edit } from "../../src/soup/edit.ts";
import { InvariantViolation } from "../../src/soup/invariant.ts";
import type { Molecule, Parent } from "../../src/soup/molecule.ts";
import { parseMolecule, parseSoup } from "../../src/soup/parse.ts";
import { printMolecule, printSoup } from "../../src/soup/print.ts";
import { molecules } from "./arbitraries.ts";

const thread = fc.constantFrom("a", "b", "c", "d");

/** Random edits: a molecule goes in, one of those there goes out, a thread closes. */
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("add" as const), molecule: molecules(thread) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant("add" as const),
      molecule: fc.record({ kind: fc.constant("Parent" as const), child: thread, thread }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant("remove" as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant("close" as const), thread }) },
);

function isDying(all: readonly Molecule[], id: string): boolean {
  return all.some((one) => one.kind === "Terminate" && one.thread === id);
}

/** What the indices must say, counted again from the molecules in the order in which they came. */
function recount(all: readonly Molecule[], id: string) {
  const edges = all.filter((one): one is Parent => one.kind === "Parent");
  const children = edges.filter((one) => one.thread === id).map(({ child }) => child);
  return {
    children,
    open: children.filter((child) => !isDying(all, child)).length,
    parent: edges.find(({ child }) => child === id)?.thread,
    dying: isDying(all, id),
  };
}

function indexed(configuration: Configuration, id: string) {
  return {
    children: [...configuration.children(id)],
    open: configuration.openChildren(id),
    parent: configuration.parent(id),
    dying: configuration.dying(id),
  };
}

test("after any edits the indices say what a recount says, and no snapshot has changed", () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 40 }), (edits) => {
      let configuration = Configuration.empty();
      let all: Molecule[] = [];
      const closed = new Set<string>();
      const snapshots: { configuration: Configuration; soup: string[]; closed: string[] }[] = [];
      for (const one of edits) {
        snapshots.push({ configuration, soup: all.map(printMolecule).sort(), closed: [...closed].sort() });
        if (one.verb === "add") {
          configuration = new Edit(configuration).add(one.molecule).done();
          all = [...all, one.molecule];
        } else if (one.verb === "close") {
          configuration = new Edit(configuration).close(one.thread).done();
          closed.add(one.thread);
        } else if (all.length > 0) {
          const wanted = all[one.at % all.length];
          if (wanted === undefined) expect.unreachable();
          const found = [...configuration.molecules()].find(
            (m) => printMolecule(m) === printMolecule(wanted),
          );
          if (found === undefined) expect.unreachable();
          configuration = new Edit(configuration).remove(found).done();
          all = all.toSpliced(
            all.findIndex((m) => printMolecule(m) === printMolecule(found)),
            1,
          );
        }
        for (const id of ["a", "b", "c", "d"]) expect(indexed(configuration, id)).toEqual(recount(all, id));
      }
      for (const snapshot of snapshots) {
        expect(printSoup(snapshot.configuration)).toEqual(snapshot.soup);
        expect([...snapshot.configuration.closed()].sort()).toEqual(snapshot.closed);
      }
    }),
    { numRuns: 200 },
  );
});

test("several changes in one edit are the same as one by one", () => {
  fc.assert(
    fc.property(fc.array(molecules(thread), { maxLength: 12 }), (all) => {
      const together = new Edit(Configuration.empty());
      for (const molecule of all) together.add(molecule);
      const [once, singly] = [together.done(), configurationOf(Configuration.empty(), all)];
      expect(printSoup(once)).toEqual(printSoup(singly));
      for (const id of ["a", "b", "c", "d"]) expect(indexed(once, id)).toEqual(indexed(singly, id));
    }),
  );
});

describe("edits", () => {
  const soup = (text: string): Configuration => configurationOf(Configuration.empty(), parseSoup(text));

  test("an edit goes on after done without changing what it returned", () => {
    const edit = new Edit(Configuration.empty()).add(parseMolecule("Idle(A,t)"));
    const before = edit.done();
    const after = edit.add(parseMolecule("Parent(c,t)")).add(parseMolecule("Terminate(c)")).done();
    expect(printSoup(before)).toEqual(["Idle(A,t)"]);
    expect(indexed(before, "t")).toEqual({ children: [], open: 0, parent: undefined, dying: false });
    expect(indexed(after, "t")).toEqual({ children: ["c"], open: 0, parent: undefined, dying: false });
    expect(printSoup(after)).toEqual(["Idle(A,t)", "Parent(c,t)", "Terminate(c)"]);
  });

  test("equal molecules stay distinct: one is taken out, the other stays", () => {
    const one = parseMolecule("Terminate(t)");
    const twice = configurationOf(Configuration.empty(), [one, one]);
    expect(printSoup(twice)).toEqual(["Terminate(t)", "Terminate(t)"]);
    const [first, second] = twice.molecules();
    if (first === undefined || second === undefined) expect.unreachable();
    expect(printSoup(new Edit(twice).remove(first).done())).toEqual(["Terminate(t)"]);
    expect(printSoup(new Edit(twice).remove(first).remove(second).done())).toEqual([]);
  });

  test.each(["Idle(A,t)", "Parent(t,r)", "Terminate(t)", "Mailbox(A,t,[])"])(
    "taking out a %s that is not there is a bug",
    (text) => {
      expect(() => new Edit(soup(text)).remove(parseMolecule(text))).toThrow(InvariantViolation);
    },
  );

  test("children stand in spark order, through closes in between", () => {
    let configuration = soup("Parent(c,t) ‖ Parent(a,t) ‖ Parent(b,t)");
    const edge = configuration.edge("a", "t");
    if (edge === undefined) expect.unreachable();
    configuration = new Edit(configuration).remove(edge).done();
    configuration = configurationOf(configuration, parseSoup("Parent(0,t) ‖ Parent(a,t)"));
    expect([...configuration.children("t")]).toEqual(["c", "b", "0", "a"]);
  });
});

describe("numbers", () => {
  test("threads are numbered in the order in which they appear; unknown ones come last", () => {
    const configuration = configurationOf(
      Configuration.empty(),
      parseSoup("Idle(A,z) ‖ Parent(b,a) ‖ Idle(A,b)"),
    );
    expect(["z", "a", "b"].map((id) => configuration.number(id))).toEqual([0, 1, 2]);
    expect(configuration.number("nobody")).toBeGreaterThan(2);
    expect([...configuration.cells()].map((cell) => cell.thread)).toEqual(["z", "a", "b"]);
  });

  test("branches of one configuration share numbers and nothing else", () => {
    const base = configurationOf(Configuration.empty(), parseSoup("Idle(A,t)"));
    const one = configurationOf(base, parseSoup("Idle(B,x)"));
    const other = configurationOf(base, parseSoup("Idle(C,y)"));
    expect(printSoup(one)).toEqual(["Idle(A,t)", "Idle(B,x)"]);
    expect(printSoup(other)).toEqual(["Idle(A,t)", "Idle(C,y)"]);
    expect([other.cell("x"), base.cell("x"), base.cell("y")]).toEqual([undefined, undefined, undefined]);
  });
});

test("nothing is known of a thread that never appeared", () => {
  const configuration = Configuration.empty();
  expect(indexed(configuration, "t")).toEqual({ children: [], open: 0, parent: undefined, dying: false });
  expect([configuration.cell("t"), configuration.isClosed("t"), configuration.edge("t", "s")]).toEqual([
    undefined, false, undefined,
  ]); // prettier-ignore
});
