/**
 * A persistent sparse vector: a trie with 32 branches a node, indexed by small integers.
 *
 * V1. A vector never changes: `set` returns another one that shares all but one path of nodes.
 * V2. `get` and `set` take time logarithmic (base 32) in the largest index, whatever else the vector holds.
 */
const BITS = 5;
const MASK = 31;

type Node<T> = {
  readonly slots: readonly (Node<T> | undefined)[];
  readonly items: readonly (T | undefined)[];
};

const NOTHING: readonly never[] = [];
const EMPTY: Node<never> = { slots: NOTHING, items: NOTHING };

/** An immutable map from small integers to T. */
export class SparseVector<T> {
  readonly #root: Node<T>;
  readonly #shift: number;

  private constructor(root: Node<T>, shift: number) {
    this.#root = root;
    this.#shift = shift;
  }

  /** The vector that holds nothing. */
  static empty<T>(): SparseVector<T> {
    return new SparseVector<T>(EMPTY, 0);
  }

  /** The item at `index`, or undefined. */
  get(index: number): T | undefined {
    let shift = this.#shift;
    if (index >>> shift > MASK) return undefined;
    let node: Node<T> | undefined = this.#root;
    while (shift > 0) {
      node = node.slots[(index >>> shift) & MASK];
      if (node === undefined) return undefined;
      shift -= BITS;
    }
    return node.items[index & MASK];
  }

  /** This vector with `item` at `index`; undefined takes it out. */
  set(index: number, item: T | undefined): SparseVector<T> {
    let root = this.#root;
    let shift = this.#shift;
    while (index >>> shift > MASK) {
      root = { slots: [root], items: NOTHING };
      shift += BITS;
    }
    return new SparseVector(assign(root, shift, index, item), shift);
  }

  /** All items in the order of their indices. */
  *[Symbol.iterator](): IterableIterator<T> {
    yield* walk(this.#root);
  }
}

function assign<T>(node: Node<T>, shift: number, index: number, item: T | undefined): Node<T> {
  const at = (index >>> shift) & MASK;
  if (shift === 0) {
    const items = node.items.slice();
    while (items.length < at) items.push(undefined);
    items[at] = item;
    return { slots: NOTHING, items };
  }
  const slots = node.slots.slice();
  while (slots.length < at) slots.push(undefined);
  slots[at] = assign(slots[at] ?? EMPTY, shift - BITS, index, item);
  return { slots, items: NOTHING };
}

function* walk<T>(node: Node<T>): IterableIterator<T> {
  for (const item of node.items) if (item !== undefined) yield item;
  for (const slot of node.slots) if (slot !== undefined) yield* walk(slot);
}
