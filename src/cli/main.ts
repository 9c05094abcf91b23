#!/usr/bin/env node
/** The command `cfa`. The exit code is set, never forced, so that all output is flushed first. */
import { processContext } from "./process-context.ts";
import { runProgram } from "./program.ts";

process.exitCode = await runProgram(process.argv.slice(2), processContext());
