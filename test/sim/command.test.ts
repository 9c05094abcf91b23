/** `npm run sim`: the same output for the same seed, exit codes, and a planted bug that is found and can be seen again. */
import { spawnSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { placesOf, plant } from "../../sim/plant.ts";
import { PLANTED_BUGS } from "../../sim/planted-bugs.ts";

const BUILT = "build/simulation";

beforeAll(() => {
  const { status, stdout } = spawnSync("npx", ["--no-install", "tsc", "-p", "sim/tsconfig.json"], {
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});

const sim = (...words: string[]) =>
  spawnSync(process.execPath, [`${BUILT}/sim/main.js`, ...words], { encoding: "utf8" });

test("the same seed prints the same", () => {
  const one = sim("--seed", "4f1e2d", "--runs", "20", "--sqlite-every", "10");
  const other = sim("--seed", "4f1e2d", "--runs", "20", "--sqlite-every", "10");
  expect(one.status).toBe(0);
  expect(one.stdout).toMatch(/^seed 4f1e2d, 20 runs, 2 of them on SQLite\n/);
  expect(one.stdout).toMatch(/no finding\n$/);
  expect(other.stdout).toBe(one.stdout);
});

test.each([
  [["--runs", "0"], /--runs takes a whole number from 1, not "0"/],
  [["--run", "x"], /--run takes a whole number/],
  [["--sqlite-every", "-1"], /sqlite-every/],
  [["--sead", "1"], /--sead/],
])("%j cannot be meant: exit 2", (words, problem) => {
  const { status, stderr, stdout } = sim(...words);
  expect(status).toBe(2);
  expect(stderr).toMatch(problem);
  expect(stdout).toBe("");
});

/** Bugs that are found within a few runs; `npm run sim -- --planted` tries them all. */
const QUICK = [
  "a lost turn is not rolled back",
  "the message of a lost turn comes twice",
  "the message of a lost turn goes behind the mail that waits",
];

test.each(PLANTED_BUGS.filter(({ name }) => QUICK.includes(name)))("$name: found", (bug) => {
  const { found, says } = plant(BUILT, bug, 1, 100);
  expect(found).toBe(true);
  expect(says).toMatch(/^run \d+: \w+: /);
});

test("every bug can be planted in the code as it is", () => {
  for (const bug of PLANTED_BUGS) expect([bug.name, placesOf(BUILT, bug)]).toEqual([bug.name, 1]);
});

test("a bug whose text is not in its module cannot be planted", () => {
  const [bug] = PLANTED_BUGS;
  if (bug === undefined) throw new Error("there are no bugs to plant");
  expect(() => plant(BUILT, { ...bug, text: "no such text" }, 1, 1)).toThrow(/its text is 0 times/);
});
