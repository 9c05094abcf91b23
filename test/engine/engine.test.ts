/** What an engine is asked for twice at once, it does once. */
import { expect, test } from "vitest";
import { adapters, approve, definitionOf, finish, makeEngine, makePlace } from "./fixture.ts";

test.each(["sqlite", "memory"] as const)(
  "two starts of one job at once are one run, on a %s bus",
  async (bus) => {
    const engine = makeEngine({ bus });
    const place = makePlace();
    const start = () => engine.start(definitionOf(place), { agents: adapters({ lead: approve }) });
    const [one, other] = await Promise.all([start(), start()]);
    expect(other).toBe(one);
    expect((await finish({ engine, place, run: one })).end).toEqual({ kind: "ended", state: "DONE" });
    const again = await start();
    expect(again).not.toBe(one);
    expect(await again.end).toEqual({ kind: "ended", state: "DONE" });
  },
);
