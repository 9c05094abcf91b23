/** Questions in a real terminal: shown as they open, answered with keys, below a tree that goes on. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APPROVE, cfa, directory, entriesOf, here, repository, shellJob, start } from "./fixture.ts";
import { cfaInTerminal, paste, POLLING, press, screen, shown, tmux } from "./terminal.ts";

/** Asks two questions in INTENT and approves when both are answered. */
const TWO = `message=$(cat)
case "$CFA_STATE $message" in
  "INTENT [answer"*) echo "$message" >>INTENT.md; test "$(grep -c '^.answer' INTENT.md)" = 2 || exit 0 ;;
  INTENT*) cfa ask "Which colour?"; cfa ask "Which shade?"; exit ;;
esac
${APPROVE}`;

/** Target and text of each act of the human, in order. */
async function actsOf(top: string): Promise<(readonly [string, string])[]> {
  const entries = entriesOf((await here(top, "log", "--jsonl")).out);
  return entries.flatMap(({ kind, body }) => (kind === "act" ? [[body.target, body.text] as const] : []));
}

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
  expect(await actsOf(top)).toEqual([
    ["q1.1.2", "dark"],
    ["q1.1.1", "blue,\nbut not too blue"],
  ]);
});

test("answered from elsewhere meanwhile: what was typed is shown, not sent, and its rest goes to no other question; Ctrl-C during a question stops the run; NO_COLOR", async () => {
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
  await expect.poll(shown, POLLING).toContain("press Tab to answer this question");
  await press("en", "Enter", "Tab");
  await expect.poll(shown, POLLING).toContain("type the answer, Enter sends it");
  expect((await screen()).filter((line) => line.startsWith(">"))).toEqual([">"]);
  expect(await tmux("capture-pane", "-p", "-e", "-t", "main")).not.toContain("\u001b[3");
  await press("C-c");
  await expect.poll(screen, POLLING).toContain("exit code 130");
  await press("abc");
  expect((await here(top, "inbox")).out).toMatch(
    /^q1\.1\.2 of test-[0-9a-f]{8} {2}lead on INTENT, .* ago, when_unsure\n {2}Which shade\?\n {4}cfa answer q1\.1\.2 TEXT --job test-/u,
  );
});

test("typed or pasted before a question stands on the screen: answers nothing", async () => {
  const top = await repository();
  const go = join(directory(), "go");
  shellJob(top, { lead: `while [ ! -e ${go} ]; do sleep 0.1; done\n${TWO}` });
  await cfaInTerminal(top, "run");
  await expect.poll(shown, POLLING).toContain("running");
  await press("git push", "Enter");
  await paste("ls\nls -l\n");
  await press("unfinished");
  await expect.poll(shown, POLLING).toContain("unfinished");
  writeFileSync(go, "");
  await expect.poll(shown, POLLING).toContain("(1 of 2 questions, Tab: next): Which colour?");
  await press("blue", "Enter", "ls", "Enter");
  await expect.poll(shown, POLLING).toContain("? q1.1.2 of lead INTENT: Which shade?");
  await press("dark", "Enter");
  await expect.poll(screen, POLLING).toContain("exit code 0");
  expect(await actsOf(top)).toEqual([
    ["q1.1.1", "blue"],
    ["q1.1.2", "dark"],
  ]);
});

test("in a terminal of five rows pictures leave nothing behind", async () => {
  const top = await repository();
  shellJob(top, { lead: TWO });
  await cfaInTerminal(top, "run", { height: 5 });
  await expect.poll(shown, POLLING).toContain("(1 of 2 questions, Tab: next): Which colour?");
  await press("blue", "Enter");
  await expect.poll(shown, POLLING).toContain("? q1.1.2 of lead INTENT: Which shade?");
  await press("dark", "Enter");
  await expect.poll(screen, POLLING).toContain("exit code 0");
  expect((await screen()).filter((line) => /^test-[0-9a-f]{8} {2}[A-Z]/.test(line))).toHaveLength(1);
});

test("put to the human again, by the proxy and after its failure: answered with keys each time", async () => {
  const top = await repository();
  const lead = `case "$(cat)" in "[answer"*) ;; *) cfa ask "Which colour?"; exit ;; esac\n${APPROVE}`;
  const proxy = `case "$(cat)" in
  *reddish*) exit 1 ;;
  *blurb*) cfa ask "Which colour really?" ;;
  *) cfa ask "Which colour do they want?" ;;
esac`;
  shellJob(
    top,
    { lead, proxy },
    "start: EXECUTE\ngiven: { intent: a.txt, plan: a.txt }\nlimits: { retries: 0 }",
  );
  await cfaInTerminal(top, "run");
  await expect.poll(shown, POLLING).toContain("? q1.1.1 of lead EXECUTE: Which colour do they want?");
  await press("blurb", "Enter");
  await expect.poll(shown, POLLING).toContain("? q1.1.1 of lead EXECUTE: Which colour really?");
  await press("reddish", "Enter");
  await expect.poll(shown, POLLING).toContain("? q1.1.1 of lead EXECUTE: Which colour?");
  await press("green", "Enter");
  await expect.poll(screen, POLLING).toContain("exit code 0");
  expect((await actsOf(top)).map(([, text]) => text)).toEqual(["blurb", "reddish", "green"]);
});

test.each(["--quiet", "--json"])(
  "%s in a terminal asks for nothing and does not wait: exit code 4",
  async (flag) => {
    const top = await repository();
    shellJob(top, { lead: TWO });
    await cfaInTerminal(top, `run ${flag}`);
    await expect.poll(screen, POLLING).toContain("exit code 4");
    expect((await screen()).join(" ")).toContain("cfa answer q1.1.1 TEXT");
  },
);
