/** The version of this package, as `cfa --version` prints it: from package.json, two folders above the sources and above the build. */
import { readFileSync } from "node:fs";

const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** For example `0.1.0`. */
export const VERSION =
  typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
