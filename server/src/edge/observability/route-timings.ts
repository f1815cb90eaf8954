/** Methods that have their own series, because routes may use them. */
export const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])
/** Status classes by the first digit of the status; 0 if the client disconnected. */
const CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

const NAME = 'countersign_http_request_duration_seconds'
const HEAD = `# HELP ${NAME} From the head of a request to the end of its response.\n# TYPE ${NAME} histogram`

/** The durations of one method, route and status class. The last count is for durations beyond all bounds. */
interface Series {
  readonly labels: string
  readonly counts: Float64Array
  sum: number
}

/**
 * A Prometheus histogram of response times; the one of prom-client builds and looks up a string of labels for
 * every observation, which is noticeable in each request; this one just adds to three numbers.
 *
 * Labels never contain input from callers: a path without a route is `unknown`, and a method that no route
 * uses is `other`. So the number of series is bounded by routes, methods and status classes.
 */
export class RouteTimings {
  readonly #bounds: readonly number[]
  /** By route, then method, then status class. */
  readonly #series = new Map<string, Map<string, (Series | undefined)[]>>()

  /** `bounds` are in seconds, in ascending order. */
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
    return [HEAD, ...timings.flatMap((series) => (series ? this.#formatSeries(series) : []))].join('\n')
  }

  #formatSeries({ labels, counts, sum }: Series): string[] {
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
      // The labels need no escaping, because the patterns come from the contract.
      labels: `method="${method}",route="${toDocumentedPath(route)}",status="${CLASSES[digit] ?? 'other'}"`,
      counts: new Float64Array(this.#bounds.length + 1),
      sum: 0,
    }
    classes[digit] = series
    return series
  }
}

/** Formats a router pattern as in the API documentation: `/quotes/{quoteId}`. */
export function toDocumentedPath(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}')
}
