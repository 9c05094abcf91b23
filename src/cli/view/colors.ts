/** Colours where they are wanted: on a terminal, unless NO_COLOR is set (https://no-color.org). */
import pc from "picocolors";
import type { Context, Output } from "../context.ts";

/** Functions that colour text, or leave it as it is. */
export type Colors = ReturnType<typeof pc.createColors>;

/** Leaves all text as it is. */
export const NO_COLORS: Colors = pc.createColors(false);

/** The colours for an output of this process. */
export function colorsFor({ env }: Context, output: Output): Colors {
  const wanted = output.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return pc.createColors(wanted);
}
