/**
 * The set of configurations found, each a vector of site ids, packed.
 *
 * E5. Two vectors are the same configuration when they agree in the `state` of every site. A hash only finds
 *     candidates; each is compared in full, so no collision can hide a configuration.
 * E6. Configurations are numbered in the order in which they were found. In a breadth-first walk the links to where
 *     each was found first make shortest traces.
 */
import { NOTHING, type Sites } from "./site.ts";

const CHUNK_BITS = 14;
const CHUNK = 1 << CHUNK_BITS;

/** See the header. */
export class States {
  readonly #sites: Sites;
  #width: number;
  #chunks: Int32Array[] = [];
  #from = new Int32Array(CHUNK);
  #hashes = new Int32Array(CHUNK);
  #table = new Int32Array(4 * CHUNK);
  #count = 0;

  constructor(sites: Sites) {
    this.#sites = sites;
    this.#width = Math.max(4, sites.width);
  }

  /** How many configurations there are. */
  get count(): number {
    return this.#count;
  }

  /** The length of the vectors; may grow, never shrinks. */
  get width(): number {
    return this.#width;
  }

  /** Memory of the packed vectors and tables, in bytes. */
  get bytes(): number {
    const vectors = this.#chunks.length * CHUNK * this.#width;
    return 4 * (vectors + this.#from.length + this.#hashes.length + this.#table.length);
  }

  /** The configuration from which this one was found first; -1 for the first of all. */
  from(state: number): number {
    return this.#from[state] ?? -1;
  }

  /** The hash of a configuration: the sum of its sites' hashes. */
  hash(state: number): number {
    return this.#hashes[state] ?? 0;
  }

  /** Copies the vector of a configuration. */
  read(state: number, into: Int32Array): void {
    const base = (state & (CHUNK - 1)) * this.#width;
    const chunk = this.#chunks[state >>> CHUNK_BITS];
    if (chunk === undefined) throw new RangeError(`no configuration ${state}`);
    for (let slot = 0; slot < this.#width; slot++) into[slot] = chunk[base + slot] ?? NOTHING;
  }

  /** Makes room for vectors of at least this length. */
  widen(width: number): void {
    if (width <= this.#width) return;
    const [old, wide] = [this.#width, Math.max(width, 2 * this.#width)];
    this.#chunks = this.#chunks.map((chunk) => {
      const copy = new Int32Array(CHUNK * wide);
      for (let at = 0; at < CHUNK; at++) copy.set(chunk.subarray(at * old, (at + 1) * old), at * wide);
      return copy;
    });
    this.#width = wide;
  }

  /** The number of the configuration with this vector and hash, or -1 when it is not known. */
  find(vector: Int32Array, hash: number): number {
    const mask = this.#table.length - 1;
    for (let at = spread(hash) & mask; ; at = (at + 1) & mask) {
      const state = (this.#table[at] ?? 0) - 1;
      if (state < 0) return -1;
      if (this.#hashes[state] === hash && this.#equals(state, vector)) return state;
    }
  }

  /** Adds a configuration that is not known; returns its number. */
  add(vector: Int32Array, hash: number, from: number): number {
    const state = this.#count++;
    if (state >>> CHUNK_BITS === this.#chunks.length) this.#chunks.push(new Int32Array(CHUNK * this.#width));
    if (state === this.#from.length) {
      this.#from = grown(this.#from);
      this.#hashes = grown(this.#hashes);
    }
    this.#chunks[state >>> CHUNK_BITS]?.set(
      vector.subarray(0, this.#width),
      (state & (CHUNK - 1)) * this.#width,
    );
    this.#from[state] = from;
    this.#hashes[state] = hash;
    if (2 * this.#count > this.#table.length) this.#rehash();
    else this.#enter(state, hash);
    return state;
  }

  #equals(state: number, vector: Int32Array): boolean {
    const base = (state & (CHUNK - 1)) * this.#width;
    const chunk = this.#chunks[state >>> CHUNK_BITS];
    if (chunk === undefined) return false;
    for (let slot = 0; slot < this.#width; slot++) {
      const [one, other] = [chunk[base + slot] ?? NOTHING, vector[slot] ?? NOTHING];
      if (one !== other && this.#sites.get(one).state !== this.#sites.get(other).state) return false;
    }
    return true;
  }

  #enter(state: number, hash: number): void {
    const mask = this.#table.length - 1;
    let at = spread(hash) & mask;
    while (this.#table[at] !== 0) at = (at + 1) & mask;
    this.#table[at] = state + 1;
  }

  #rehash(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    for (let state = 0; state < this.#count; state++) this.#enter(state, this.hash(state));
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(2 * array.length);
  copy.set(array);
  return copy;
}

function spread(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 3;
}
