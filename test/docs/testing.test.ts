/** docs/testing.md: its example is a test that runs, what it shows is what comes out, and what it names exists. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as testing from "../../src/testing.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/testing.md");
const fences = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gmu)].map(([, kind = "", text = ""]) => ({
  kind,
  text,
}));

test("the example is test/testing/review.test.ts, word for word", () => {
  const [example] = fences;
  expect(example?.text).toBe(
    read("test/testing/review.test.ts").replace("../../src/testing.ts", "cfa/testing"),
  );
});

test("the example has about twenty lines", () => {
  const lines = (fences[0]?.text ?? "").split("\n").filter((line) => line.trim() !== "");
  expect(lines.length).toBeLessThanOrEqual(25);
});

test("the failure that the page shows is what the matcher prints", () => {
  const shown = fences.find(({ kind }) => kind === "text")?.text.trimEnd();
  const start = testing.soup("Send(lead,t0,[terminate(t1)]) ‖ Parent(t1,t0) ‖ Idle(writer,t1)");
  const { pass, message } = testing.cfaMatchers.toReduceTo(
    start,
    "Idle(lead,t0) ‖ Parent(t1,t0) ‖ Idle(writer,t1)",
  );
  expect([pass, message()]).toEqual([false, shown]);
});

test("the trace that the page shows is what is printed", () => {
  const opened = testing.soup("Send(lead,t0,[deliver(writer,t1,write)])", {
    roster: { lead: ["writer"] },
    ready: ["t1"],
  });
  expect(testing.trace(testing.step(opened).events).map((line) => `// ${line}`)).toEqual(
    page.split("\n").filter((line) => line.startsWith("// spark:")),
  );
});

test("every function that the page calls is exported, every matcher is one", () => {
  const called = [...page.matchAll(/`([a-z]\w*)\(/gu)].map(([, name = ""]) => name);
  const known = [...Object.keys(testing), ...Object.keys(testing.cfaMatchers), "openEngine", "advance"];
  expect(called.filter((name) => !known.includes(name))).toEqual([]);
});
