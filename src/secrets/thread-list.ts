// Beginnings of secrets that go on at one place, as numbers. Knows no graph.

/** `nodes[i]` has been reached from `starts[i]`, for each i below `count`. */
export class ThreadList {
  nodes = new Int32Array(16)
  starts = new Float64Array(16)
  count = 0
  readonly #size: number
  /** By node, when it is needed: where in the list it may stand. */
  #indices: Int32Array | undefined

  /** @param size nodes there are */
  constructor(size: number) {
    this.#size = size
  }

  add(node: number, start: number): void {
    if (this.count === this.nodes.length) this.#grow()
    this.nodes[this.count] = node
    this.starts[this.count++] = start
  }

  /** A node that is known stands in the list once, from its earliest start. */
  addOnce(node: number, start: number): void {
    this.#indices ??= new Int32Array(this.#size)
    const index = this.#indices[node]!
    if (index < this.count && this.nodes[index] === node) {
      if (start < this.starts[index]!) this.starts[index] = start
      return
    }
    this.#indices[node] = this.count
    this.add(node, start)
  }

  /** Knows all that are in it. */
  know(): void {
    if (this.count === 0) return
    this.#indices ??= new Int32Array(this.#size)
    for (let index = 0; index < this.count; index++) this.#indices[this.nodes[index]!] = index
  }

  clear(): void {
    this.count = 0
  }

  #grow(): void {
    const nodes = new Int32Array(this.nodes.length * 2)
    const starts = new Float64Array(this.starts.length * 2)
    nodes.set(this.nodes)
    starts.set(this.starts)
    this.nodes = nodes
    this.starts = starts
  }
}
