const NAME = 'countersign_http_request_duration_seconds_bucket'

/** How long answers of one route took, as the server's histogram has it: how many were within each bound, in s. */
export class Histogram {
  readonly #within: ReadonlyMap<number, number>

  constructor(within: ReadonlyMap<number, number>) {
    this.#within = within
  }

  /** What came after `before`. */
  since(before: Histogram): Histogram {
    return new Histogram(
      new Map([...this.#within].map(([bound, count]) => [bound, count - (before.#within.get(bound) ?? 0)])),
    )
  }

  /** As Prometheus estimates it: evenly within a bucket; of what is beyond all bounds, the last bound. */
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

/** The server's own times of a route's good answers, since it started. */
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
