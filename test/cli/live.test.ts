/** The live view in a real terminal (tmux): the tree, a question answered from elsewhere, the end, and nothing left over. */
import { expect, test } from "vitest";
import { APPROVE, cfa, repository, shellJob } from "./fixture.ts";
import { cfaInTerminal, POLLING, press, screen, tmux } from "./terminal.ts";

/** Asks in INTENT; in EXECUTE dispatches two workers, closes them as they reply. */
const LEAD = `message=$(cat)
case "$CFA_STATE $message" in
  "INTENT [answer"*) ;;
  INTENT*) cfa ask "Which colour?"; exit ;;
  "EXECUTE [reply"*)
    cfa close "$(cat first)"; rm first
    if [ -e second ]; then mv second first; exit; fi ;;
  EXECUTE*)
    cfa send --to worker one >first; cfa send --to worker two >second; exit ;;
esac
${APPROVE}`;

test("a run with a question, in a terminal", async () => {
  const top = await repository();
  shellJob(top, { lead: LEAD, worker: 'cat >"${CFA_THREAD#dispatch:}"; printf "\\033[31mhello\\033[0m\\n"' });
  await cfaInTerminal(top, "run");

  await expect
    .poll(async () => (await screen()).join("\n"), POLLING)
    .toMatch(/question \S+ of lead INTENT: Which colour\?/);
  const asked = (await screen()).join("\n");
  const [, question = ""] = /cfa answer (\S+) TEXT/.exec(asked) ?? [];
  await expect
    .poll(screen, POLLING)
    .toContainEqual(expect.stringMatching(/^└─ \? lead {2}INTENT {2}waiting for the human/));
  expect((await cfa(top, "answer", question, "blue")).code).toBe(0);

  await expect.poll(screen, POLLING).toContainEqual("exit code 0");
  const shown = await screen();
  const heads = shown.filter((line) => /^test-[0-9a-f]{8} {2}[A-Z]+ {2}\d+ turns?/.test(line));
  expect(heads).toEqual([expect.stringMatching(/ {2}DONE {2}/)]);
  const from = shown.indexOf(heads[0] ?? "");
  expect(
    shown.slice(from + 1, from + 6).map((line) => line.split("  ").slice(0, -1).join("  ").trimEnd()),
  ).toEqual([
    expect.stringMatching(/^├─ ✓ lead {2}INTENT/),
    expect.stringMatching(/^├─ ✓ lead {2}PLAN/),
    expect.stringMatching(/^└─ ✓ lead {2}EXECUTE/),
    expect.stringMatching(/^ {3}├─ ✓ worker {2}dispatch:/),
    expect.stringMatching(/^ {3}└─ ✓ worker {2}dispatch:/),
  ]);
  expect(shown[from + 6]).toMatch(/^test-[0-9a-f]{8} is DONE: ok$/);
  expect(shown.filter((line) => line.includes("running"))).toEqual([]);
});

test("Ctrl-C in a narrow terminal without colours stops the run, resumable", async () => {
  const top = await repository();
  shellJob(top, { lead: 'cat >/dev/null\necho "working on it, and saying so at some length"\nsleep 600' });
  await cfaInTerminal(top, "run", { env: "NO_COLOR=1", width: 50 });
  await expect
    .poll(screen, POLLING)
    .toContainEqual(expect.stringMatching(/^└─ ● lead {2}INTENT {2}running {2}turn 1 .*…$/));
  await press("C-c");
  await expect.poll(screen, POLLING).toContainEqual("exit code 130");
  expect((await screen()).join(" ")).toContain("is stopped in INTENT; nothing is lost");
  expect(await tmux("capture-pane", "-p", "-e", "-t", "main")).not.toContain("\u001b[3");
});
