/** Questions in a real terminal: shown as they open, answered with keys, below a tree that goes on. */
import { expect, test } from "vitest";
import { APPROVE, cfa, entriesOf, here, repository, shellJob, start } from "./fixture.ts";
import { cfaInTerminal, paste, POLLING, press, screen, shown, tmux } from "./terminal.ts";

/** Asks two questions in INTENT and approves when both are answered. */
const TWO = `message=$(cat)
case "$CFA_STATE $message" in
  "INTENT [answer"*) echo "$message" >>INTENT.md; test "$(grep -c '^.answer' INTENT.md)" = 2 || exit 0 ;;
  INTENT*) cfa ask "Which colour?"; cfa ask "Which shade?"; exit ;;
esac
${APPROVE}`;

test("a wrong key, another width, a pasted answer of several lines, and the other question", async () => {
  const top = await repository();
  shellJob(top, { lead: TWO });
  await cfaInTerminal(top, "run");
  await expect
    .poll(shown, POLLING)
    .toContain("? q1.1.1 of lead INTENT (1 of 2 questions, Tab: next): Which colour?");
  await press("Enter");
  await expect.poll(shown, POLLING).toContain("the answer is empty: say something");
  await press("F5", "Up");
  await expect.poll(shown, POLLING).toContain("type the answer, Enter sends it");
  await press("Tab");
  await expect
    .poll(shown, POLLING)
    .toContain("? q1.1.2 of lead INTENT (2 of 2 questions, Tab: next): Which shade?");
  await tmux("resize-window", "-t", "main", "-x", "60", "-y", "20");
  await press("dxrk", "BSpace", "BSpace", "BSpace", "ark");
  // After the resize tmux may join lines that lie below each other.
  await expect.poll(shown, POLLING).toMatch(/> dark(?: |$)/mu);
  await press("Tab");
  await expect.poll(shown, POLLING).toContain("send or clear (Ctrl-U) what you have typed first");
  await press("Enter");
  await expect.poll(shown, POLLING).toContain("? q1.1.1 of lead INTENT: Which colour?");
  await paste("blue,\nbut not too blue");
  await expect.poll(shown, POLLING).toMatch(/> blue,\s+but not too blue/u);
  await press("Enter");
  await expect.poll(screen, POLLING).toContain("exit code 0");
  expect((await screen()).filter((line) => line.startsWith("> "))).toEqual([]);
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  expect(entries.flatMap(({ kind, body }) => (kind === "act" ? [[body.target, body.text]] : []))).toEqual([
    ["q1.1.2", "dark"],
    ["q1.1.1", "blue,\nbut not too blue"],
  ]);
});

test("answered from elsewhere meanwhile: what was typed is shown, not sent; Ctrl-C during a question stops the run; NO_COLOR", async () => {
  const top = await repository();
  shellJob(top, { lead: TWO });
  await cfaInTerminal(top, "run", { env: "NO_COLOR=1" });
  await expect.poll(shown, POLLING).toContain("? q1.1.1 of lead INTENT");
  const inbox = start(top, "inbox", "--watch");
  await inbox.seen("Which colour?");
  await inbox.seen("Which shade?");
  inbox.kill("SIGKILL");
  await press("gre");
  await expect.poll(screen, POLLING).toContain("> gre");
  expect((await cfa(top, "answer", "escalation:q1.1.1", "blue")).code).toBe(0);
  await expect.poll(shown, POLLING).toContain("question q1.1.1 is not open any more; not sent: gre");
  await expect.poll(shown, POLLING).toContain("? q1.1.2 of lead INTENT: Which shade?");
  expect(await tmux("capture-pane", "-p", "-e", "-t", "main")).not.toContain("\u001b[3");
  await press("C-c");
  await expect.poll(screen, POLLING).toContain("exit code 130");
  await press("abc");
  expect((await here(top, "inbox")).out).toMatch(
    /^q1\.1\.2 of test-[0-9a-f]{8} {2}lead on INTENT, .* ago, when_unsure\n {2}Which shade\?\n {4}cfa answer q1\.1\.2 TEXT --job test-/u,
  );
});
