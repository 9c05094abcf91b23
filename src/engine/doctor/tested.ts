/** Whether cfa has been tested on a machine of this kind (docs/boundary.md, "Limits"): what was not tried is said, not promised. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { processLimit } from "../../runtime/process/process-limit.ts";
import { type Finding, limited, ok } from "./finding.ts";

/** What of a machine decides it. */
export type MachineKind = {
  /** As Node names it. */
  readonly platform: string;
  readonly isRoot: boolean;
  /** Programs are counted by control groups of version 2. */
  readonly hasGroups2: boolean;
};

/** What this machine is. */
export async function machineKind(): Promise<MachineKind> {
  const limit = await processLimit();
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    // A file that every group of version 2 has, and none of version 1 (cgroups(7)).
    hasGroups2: "groups" in limit && existsSync(join(limit.groups, "cgroup.controllers")),
  };
}

/** See the header. */
export function tested({ platform, isRoot, hasGroups2 }: MachineKind): Finding {
  const untested = [
    ...(platform === "linux" ? [] : [`programs on ${platform}`]),
    ...(isRoot ? [] : ["boundaries of a user who is not root"]),
    ...(hasGroups2 ? ["control groups of version 2"] : []),
  ];
  return untested.length === 0
    ? ok(
        "tested",
        "the boundary is tested on machines of this kind: Linux, root, no control groups of version 2",
      )
    : limited(
        "tested",
        `written for, and not tested: ${untested.join(", ")}`,
        "the tests are in a clone of cfa: npx vitest run test/runtime",
      );
}
