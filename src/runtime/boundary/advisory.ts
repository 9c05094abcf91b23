/** No boundary: programs see what cfa sees, but die with their turn where the machine can make them. */
import { processIsolation } from "../process/isolation.ts";
import type { Boundary } from "./port.ts";

/** See the header. */
export const advisory: Boundary = { kind: "advisory", around: () => processIsolation() };
