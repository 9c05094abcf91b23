/** The version of this package, as `cfa --version` prints it. */
import { readFileSync } from "node:fs";
import { z } from "zod";

const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");

/** From package.json, which lies two folders up from the sources and from the build alike. */
export const VERSION = z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
