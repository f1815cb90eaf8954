/** Something that will happen. */
export interface Happening {
  readonly atMs: number
  run(): void | Promise<void>
  isCancelled?: boolean
}

/**
 * Future events by time; events at the same time are in the order in which they were added. A binary heap.
 */
export class Schedule {
  readonly #heap: { readonly happening: Happening; readonly order: number }[] = []
  #count = 0

  get size(): number {
    return this.#heap.length
  }

  add(happening: Happening): void {
    this.#heap.push({ happening, order: this.#count++ })
    this.#rise(this.#heap.length - 1)
  }

  /** Removes the next event. */
  take(): Happening | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (first === undefined || last === undefined) return undefined
    if (this.#heap.length > 0) {
      this.#heap[0] = last
      this.#sink(0)
    }
    return first.happening
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one]!, this.#heap[other]!]
    return a.happening.atMs < b.happening.atMs || (a.happening.atMs === b.happening.atMs && a.order < b.order)
  }

  #swap(one: number, other: number): void {
    const moving = this.#heap[one]!
    this.#heap[one] = this.#heap[other]!
    this.#heap[other] = moving
  }

  #rise(at: number): void {
    for (let child = at; child > 0; ) {
      const parent = (child - 1) >> 1
      if (!this.#isBefore(child, parent)) return
      this.#swap(child, parent)
      child = parent
    }
  }

  #sink(at: number): void {
    for (let parent = at; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      let least = parent
      if (left < this.#heap.length && this.#isBefore(left, least)) least = left
      if (right < this.#heap.length && this.#isBefore(right, least)) least = right
      if (least === parent) return
      this.#swap(parent, least)
      parent = least
    }
  }
}
