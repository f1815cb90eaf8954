import { Counter, type Registry } from 'prom-client'

/**
 * A counter with one label. An increment is a single addition, whereas prom-client builds a label string on
 * every call. `values` start at 0, so that even the first occurrence of a rare value shows as an increase.
 */
export class Tally<Value extends string> {
  readonly #counts: Map<string, number>

  constructor(
    registry: Registry,
    options: { name: string; help: string; label: string; values: readonly Value[] },
  ) {
    const { name, help, label, values } = options
    this.#counts = new Map(values.map((value) => [value, 0]))
    const counts = this.#counts
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset()
        for (const [value, count] of counts) this.inc({ [label]: value }, count)
      },
    })
  }

  /**
   * Increments the counter. The set of values must be closed, because each one becomes a permanent time
   * series.
   */
  add(value: Value): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1)
  }
}
