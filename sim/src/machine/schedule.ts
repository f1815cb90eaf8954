/** An event scheduled for a time. */
export interface ScheduledEvent {
  readonly atMs: number
  run(): void | Promise<void>
  isCanceled?: boolean
}

/** Future events, ordered by time and then by the order in which they were added. A binary heap. */
export class Schedule {
  readonly #heap: { readonly event: ScheduledEvent; readonly order: number }[] = []
  #count = 0

  get size(): number {
    return this.#heap.length
  }

  add(event: ScheduledEvent): void {
    this.#heap.push({ event, order: this.#count++ })
    this.#rise(this.#heap.length - 1)
  }

  /** Removes and returns the next event. */
  take(): ScheduledEvent | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (first === undefined || last === undefined) return undefined
    if (this.#heap.length > 0) {
      this.#heap[0] = last
      this.#sink(0)
    }
    return first.event
  }

  #isBefore(first: number, second: number): boolean {
    const [a, b] = [this.#heap[first]!, this.#heap[second]!]
    return a.event.atMs < b.event.atMs || (a.event.atMs === b.event.atMs && a.order < b.order)
  }

  #swap(first: number, second: number): void {
    const moving = this.#heap[first]!
    this.#heap[first] = this.#heap[second]!
    this.#heap[second] = moving
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
      let smallest = parent
      if (left < this.#heap.length && this.#isBefore(left, smallest)) smallest = left
      if (right < this.#heap.length && this.#isBefore(right, smallest)) smallest = right
      if (smallest === parent) return
      this.#swap(parent, smallest)
      parent = smallest
    }
  }
}
