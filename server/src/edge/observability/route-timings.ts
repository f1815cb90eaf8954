/** Methods with a separate series: those that routes can have. */
export const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])
/** Keyed by the status's first digit. 0: the client disconnected. */
const CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

const NAME = 'countersign_http_request_duration_seconds'
const HEAD = `# HELP ${NAME} From the head of a request to the end of its response.\n# TYPE ${NAME} histogram`

/**
 * The durations of one method, route and status class: counts within each bound, with those beyond all bounds
 * last.
 */
interface Series {
  readonly labels: string
  readonly counts: Float64Array
  sum: number
}

/**
 * Durations of responses as a Prometheus histogram. prom-client's builds and looks up a string of labels at
 * every observation, which is a noticeable cost per request; this one adds to three numbers.
 *
 * Input from a caller is never a label: a path without a route is `unknown`, a method that no route has is
 * `other`. So the number of series is bounded by routes, methods and status classes.
 */
export class RouteTimings {
  readonly #bounds: readonly number[]
  /** Keyed by route, then method, then class. */
  readonly #series = new Map<string, Map<string, (Series | undefined)[]>>()

  /** `bounds` in seconds, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
  }

  observe(pattern: string | undefined, method: string, status: number | undefined, seconds: number): void {
    const route = pattern ?? 'unknown'
    const knownMethod = METHODS.has(method) ? method : 'other'
    const digit = status === undefined ? 0 : Math.trunc(status / 100)
    const series = this.#series.get(route)?.get(knownMethod)?.[digit] ?? this.#add(route, knownMethod, digit)
    let bucket = 0
    for (const bound of this.#bounds) {
      if (seconds <= bound) break
      bucket++
    }
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum += seconds
  }

  text(): string {
    const timings = [...this.#series.values()].flatMap((methods) => [...methods.values()].flat())
    return [HEAD, ...timings.flatMap((series) => (series ? this.#linesOf(series) : []))].join('\n')
  }

  #linesOf({ labels, counts, sum }: Series): string[] {
    let count = 0
    const buckets = [...this.#bounds, '+Inf'].map((bound, bucket) => {
      count += counts[bucket] ?? 0
      return `${NAME}_bucket{le="${bound}",${labels}} ${count}`
    })
    return [...buckets, `${NAME}_sum{${labels}} ${sum}`, `${NAME}_count{${labels}} ${count}`]
  }

  #add(route: string, method: string, digit: number): Series {
    const methods = this.#series.get(route) ?? new Map<string, (Series | undefined)[]>()
    this.#series.set(route, methods)
    const classes = methods.get(method) ?? CLASSES.map(() => undefined)
    methods.set(method, classes)
    const series: Series = {
      // The labels need no escaping: the patterns come from the contract.
      labels: `method="${method}",route="${toDocumentedPath(route)}",status="${CLASSES[digit] ?? 'other'}"`,
      counts: new Float64Array(this.#bounds.length + 1),
      sum: 0,
    }
    classes[digit] = series
    return series
  }
}

/** A pattern of the router as the API's documents write it: `/quotes/{quoteId}`. */
export function toDocumentedPath(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}')
}
