/** Before all tests: what the command line runs from is built once. */
import { execa } from "execa";

/** Called by vitest (vitest.config.ts, `globalSetup`). */
export default async function build(): Promise<void> {
  await execa({ preferLocal: true })`tsc -p tsconfig.build.json`;
}
