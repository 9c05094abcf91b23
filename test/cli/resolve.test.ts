/** `cfa resolve PATH` inside a turn: a conflict without markers, declared resolved as it stands. */
import { expect, test } from "vitest";
import { APPROVE, cfa, entriesOf, git, here, repository, shellJob } from "./fixture.ts";

/** The worker changes b.txt, the lead removes it: a conflict without markers, which the lead then resolves. */
const lead = (resolve: string) => `message=$(cat)
case "$CFA_STATE $message" in
  "EXECUTE [reply"*) rm b.txt; cfa close "$(cat WORK_SUMMARY.md)"; exit ;;
  "EXECUTE [control"*)
    mkdir -p sub; cd sub
    if cfa resolve ../a.txt; then exit 9; fi
    ${resolve}; cd .. ;;
  EXECUTE*) cfa send --to worker go >WORK_SUMMARY.md; exit ;;
esac
${APPROVE}`;

test.each([
  ["kept as it stands", "cfa resolve ../b.txt", "a.txt\nb.txt"],
  ["changed first", "rm ../b.txt; cfa resolve ../b.txt", "a.txt"],
])("%s", async (_what, resolve, files) => {
  const top = await repository({ "a.txt": "a\n", "b.txt": "b\n" });
  // Inside the boundary, where the agent can write neither index nor administration of its tree.
  const worker = "cat >/dev/null; echo changed >b.txt; echo done";
  shellJob(top, { lead: lead(resolve), worker }, "", "required");
  const said = await cfa(top, "run");
  expect(said.err).toMatch(/worker \S+ conflicts into EXECUTE: b\.txt/);
  expect(said.code).toBe(0);
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  const results = entries.flatMap(({ kind, body }) => (kind === "release" ? [body.result] : []));
  expect(results.slice(0, 2)).toEqual(["conflict", "completed"]);
  const branch = /^branch (\S+)/m.exec(said.out)?.[1] ?? "";
  expect(await git(top, "ls-tree", "--name-only", branch)).toBe(files);
});

test("outside a turn it is a misuse", async () => {
  expect(await here(await repository(), "resolve", "a.txt")).toMatchObject({ code: 2, out: "" });
});
