/**
 * What an agent wrote in a turn that a SIGKILL of the engine has lost: its outcome record counts for nothing, its
 * status file parks the job (docs/status-file.md).
 */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { cfa, file, killAtSignal, signal } from "./signalled.ts";

/** Runs a job whose lead leaves something in its first turn and then hangs; kills the engine when it has. */
async function killAfter(leave: string): Promise<void> {
  const hang = `${leave}; echo yes > ${signal()}; while :; do sleep 1000; done`;
  const line = `if [ "$CFA_TURN$CFA_STATE" = 1INTENT ]; then ${hang}; fi
    case $CFA_STATE in EXECUTE) name=APPROVED_WORK;; *) name=APPROVED_$CFA_STATE;; esac
    cfa outcome $name --reason good`;
  writeFileSync(
    file("job.yaml"),
    stringify({ request: "x", agents: { lead: { run: ["sh", "-c", line], sandbox: "advisory" } } }),
  );
  await killAtSignal();
}

test("an outcome record is not applied: the turn runs again", async () => {
  await killAfter("cfa outcome WITHDRAW --reason no");
  const { exitCode } = await cfa("resume");
  expect(exitCode).toBe(0);
  const { stdout } = await cfa("status", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ state: "DONE" });
});

test.each(["blocked", "needs-human-review"])(
  "%s in the status file parks the job; resumed, it goes on",
  async (word) => {
    await killAfter(`mkdir -p .sortie && echo ${word} > .sortie/status`);
    const parked = await cfa("resume");
    expect([parked.exitCode, parked.stderr + parked.stdout]).toEqual([
      5,
      expect.stringContaining(`${word} in .sortie/status, turn 1 of state:`),
    ]);
    expect((await cfa("resume")).exitCode).toBe(0);
    expect((await cfa("verify")).exitCode).toBe(0);
  },
);

test("an unknown word in the status file changes nothing", async () => {
  await killAfter("mkdir -p .sortie && echo sleepy > .sortie/status");
  expect((await cfa("resume")).exitCode).toBe(0);
});
