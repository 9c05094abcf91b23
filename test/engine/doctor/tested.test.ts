/** What `cfa doctor` says of machines of a kind that cfa has not been tested on. */
import { expect, test } from "vitest";
import { tested } from "../../../src/engine/doctor/tested.ts";

const HERE = { platform: "linux", isRoot: true, hasGroups2: false };

test.each([
  [HERE, "ok", "tested on machines of this kind"],
  [{ ...HERE, platform: "darwin" }, "limited", "not tested: programs on darwin"],
  [{ ...HERE, isRoot: false }, "limited", "not tested: boundaries of a user who is not root"],
  [{ ...HERE, hasGroups2: true }, "limited", "not tested: control groups of version 2"],
  [{ platform: "darwin", isRoot: false, hasGroups2: false }, "limited", "on darwin, boundaries of a user"],
])("%j: %s", (kind, result, says) => {
  expect(tested(kind)).toMatchObject({ what: "tested", result, detail: expect.stringContaining(says) });
});
