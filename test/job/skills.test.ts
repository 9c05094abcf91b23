/** The skills of the package: each has every step of the anatomy, names the outcomes of its state, and is shipped (docs/skills.md). */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { skillOutcomes } from "../../src/job/machine.ts";
import { skillOf, SKILLS } from "../../src/job/skills.ts";

const STEPS = ["START", "DRAFT", "ALIGN", "ASK", "ASSERT", "REVISE", "APPROVE", "BACKTRACK", "WITHDRAW"];

describe.each(SKILLS)("%s", (name) => {
  test("has a head with its name and what it is for, and the steps of the anatomy in order", () => {
    const skill = skillOf(name);
    const whole = readFileSync(skill?.file ?? "", "utf8");
    expect(whole).toMatch(new RegExp(`^---\nname: ${name}\ndescription: .{40,}\n---\n`));
    expect([...(skill?.text ?? "").matchAll(/^## (.+)$/gm)].map(([, step]) => step)).toEqual(STEPS);
  });
});

describe.each([
  ["intent-alignment", "INTENT"],
  ["planning", "PLAN"],
  ["execute", "EXECUTE"],
] as const)("%s is the skill of %s", (name, state) => {
  const { text = "" } = skillOf(name) ?? {};

  test("it names the outcomes of its state, and no other", () => {
    const named = [...text.matchAll(/`outcome ([A-Z_]+)`/g)].map(([, outcome]) => outcome);
    expect(new Set(named)).toEqual(new Set(skillOutcomes(state)));
  });

  test("it approves only after ASSERT, and takes a revision that grows into a rewriting for drift", () => {
    expect(text).toContain("An approval comes only after ASSERT.");
    expect(/## REVISE\n([^]*?)\n## /.exec(text)?.[1]).toMatch(/drift/);
  });
});

test("a name that cfa does not ship has no skill, whatever it spells", () => {
  expect(["deploy", "../job", "planning/", ""].map(skillOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("the package holds the folder", () => {
  const { files } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(files).toContain("skills");
  expect(SKILLS.every((name) => existsSync(new URL(`../../skills/${name}/SKILL.md`, import.meta.url)))).toBe(
    true,
  );
});
