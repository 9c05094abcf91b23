/**
 * A block of lines at the bottom of a terminal that is drawn again in place.
 *
 * D1. One write a picture: each line is overwritten and its rest erased, so nothing flickers and nothing is left over.
 * D2. Lines never wrap; after the terminal has become narrower, the old ones do, and that is reckoned with.
 */
import type { Output } from "../context.ts";
import { widthOf } from "../view/text.ts";
import { stripVTControlCharacters } from "node:util";

const HOME = "\r";
const ERASE_LINE = "\u001b[K";
const ERASE_BELOW = "\u001b[J";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

/** See the header. */
export class Screen {
  readonly #output: Output;
  #drawn: readonly string[] = [];

  constructor(output: Output) {
    this.#output = output;
  }

  /** Draws the block, with `above` printed for good before it. */
  draw(block: readonly string[], above: readonly string[] = []): void {
    const lines = [...above, ...block].map((line) => `${line}${ERASE_LINE}\n`).join("");
    this.#output.write(`${HIDE_CURSOR}${this.#back()}${lines}${ERASE_BELOW}${SHOW_CURSOR}`);
    this.#drawn = block;
  }

  /** Leaves the block as it stands. */
  end(): void {
    this.#drawn = [];
  }

  /** Back to the first row of the block (D2). */
  #back(): string {
    const columns = Math.max(1, this.#output.columns());
    const rows = this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / columns)),
      0,
    );
    return rows === 0 ? HOME : `${HOME}\u001b[${rows}A`;
  }
}
