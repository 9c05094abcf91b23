/**
 * Before all tests: what the command line runs from is built once. Type errors are shown and stop nothing: `npm run types` is
 * where they fail, and the compiler writes its output all the same.
 */
import { execa } from "execa";

/** Called by vitest (vitest.config.ts, `globalSetup`). */
export default async function build(): Promise<void> {
  const { exitCode, stdout } = await execa({ preferLocal: true, reject: false })`tsc -p tsconfig.build.json`;
  if (exitCode !== 0) console.error(stdout);
}
