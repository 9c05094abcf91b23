/**
 * A persistent sparse vector: a trie with 16 branches a node, indexed by small integers.
 *
 * V1. A vector never changes: `set` returns another one that shares all but one path of nodes.
 * V2. `get` and `set` take time logarithmic (base 16) in the largest index, whatever else the vector holds.
 */
const BITS = 4;
const MASK = 15;

type Leaf<T> = readonly (T | undefined)[];
type Branch<T> = readonly (Node<T> | undefined)[];
type Node<T> = Leaf<T> | Branch<T>;

/** A node at shift 0 is a leaf: nodes are bare arrays, as a soup of many threads consists mostly of them. */
function isLeaf<T>(_node: Node<T>, shift: number): _node is Leaf<T> {
  return shift === 0;
}

const EMPTY: readonly never[] = [];

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
    while (!isLeaf(node, shift)) {
      node = node[(index >>> shift) & MASK];
      if (node === undefined) return undefined;
      shift -= BITS;
    }
    return node[index & MASK];
  }

  /** This vector with `item` at `index`; undefined takes it out. */
  set(index: number, item: T | undefined): SparseVector<T> {
    let root = this.#root;
    let shift = this.#shift;
    while (index >>> shift > MASK) {
      root = [root];
      shift += BITS;
    }
    return new SparseVector(assign(root, shift, index, item), shift);
  }

  /** All items in the order of their indices. */
  *[Symbol.iterator](): IterableIterator<T> {
    yield* walk(this.#root, this.#shift);
  }
}

function assign<T>(node: Node<T>, shift: number, index: number, item: T | undefined): Node<T> {
  const at = (index >>> shift) & MASK;
  if (isLeaf(node, shift)) return replace(node, at, item);
  return replace(node, at, assign(node[at] ?? EMPTY, shift - BITS, index, item));
}

/** These items with `item` in place `at`, exactly as long as that takes: an array that grew by itself would reserve more. */
function replace<I>(
  items: readonly (I | undefined)[],
  at: number,
  item: I | undefined,
): readonly (I | undefined)[] {
  if (at >= items.length) return items.concat(Array<undefined>(at - items.length).fill(undefined), [item]);
  const copy = items.slice();
  copy[at] = item;
  return copy;
}

function* walk<T>(node: Node<T>, shift: number): IterableIterator<T> {
  if (isLeaf(node, shift)) {
    for (const item of node) if (item !== undefined) yield item;
  } else {
    for (const below of node) if (below !== undefined) yield* walk(below, shift - BITS);
  }
}
