const NAME = 'countersign_http_request_duration_seconds_bucket'

/** The server's histogram of one route: the number of answers within each bound, in s. */
export class Histogram {
  readonly #within: ReadonlyMap<number, number>

  constructor(within: ReadonlyMap<number, number>) {
    this.#within = within
  }

  /** The difference to `before`. */
  since(before: Histogram): Histogram {
    return new Histogram(
      new Map([...this.#within].map(([bound, count]) => [bound, count - (before.#within.get(bound) ?? 0)])),
    )
  }

  /** Estimates as Prometheus does: evenly within a bucket, and the last bound for answers beyond all bounds. */
  percentileMs(share: number): number {
    const buckets = [...this.#within].sort(([one], [other]) => one - other)
    const wanted = share * (buckets.at(-1)?.[1] ?? 0)
    let [from, counted] = [0, 0]
    for (const [bound, count] of buckets) {
      if (count >= wanted)
        return (
          (bound === Infinity ? from : from + (bound - from) * ((wanted - counted) / (count - counted))) *
          1000
        )
      ;[from, counted] = [bound, count]
    }
    return Number.NaN
  }
}

/** The server's own times of a route's successful answers, since its start. */
export async function routeTimes(origin: string, method: string, route: string): Promise<Histogram> {
  const text = await (await fetch(`${origin}/metrics`)).text()
  const within = new Map<number, number>()
  for (const line of text.split('\n')) {
    if (!line.startsWith(NAME) || !line.includes(`method="${method}"`) || !line.includes(`${route}"`))
      continue
    if (!line.includes('status="2xx"')) continue
    const bound = /le="([^"]+)"/.exec(line)![1]!
    within.set(bound === '+Inf' ? Infinity : Number(bound), Number(line.slice(line.lastIndexOf(' '))))
  }
  return new Histogram(within)
}
