import autocannon from 'autocannon'
import { readPostgresTime, readProcessorTime } from './server-process.ts'

/** A POST request, and the status that its response must have. */
export interface Call {
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
}

/** The server under load, and the caller's credentials. */
export interface Target {
  /** The API's base URL. */
  readonly baseUrl: string
  /** The server's process, whose CPU time is measured. */
  readonly pid: number
  readonly authorization: string
}

/** Either a duration with an optional maximum rate, or a fixed number of calls. */
export type Length = { readonly seconds: number; readonly perSecond?: number } | { readonly calls: number }

/** The result of a load. CPU times are per unit of work, in µs; request times are in ms. */
export interface Figure {
  readonly perSecond: number
  /** The rate up to the time when all work started by the requests was done. */
  readonly settledPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly mainUs: number
  /** CPU time of the server's other threads, which include the embedded database. */
  readonly othersUs: number
  /** CPU time of the PostgreSQL that this program started. 0 without one. */
  readonly postgresUs: number
}

/** A step in each connection's loop. It receives the response to the previous step of the same turn. */
export type Step = (last: unknown) => Call

export const CONNECTIONS = 32

/**
 * Runs the steps in turn on each connection, then waits until the resulting work has settled. One turn is one
 * unit of work. Throws if a response has the wrong status.
 */
export async function load(
  { baseUrl, pid, authorization }: Target,
  length: Length,
  steps: readonly Step[],
  waitUntilSettled: () => Promise<void> = async () => {},
): Promise<Figure> {
  const { origin, pathname } = new URL(baseUrl)
  const faults: string[] = []
  const requests = steps.map((step, n) =>
    toRequest(step, n < steps.length - 1, pathname, authorization, faults),
  )
  const [before, postgresBefore, startedMs] = [readProcessorTime(pid), readPostgresTime(), performance.now()]
  const result = await autocannon({
    url: origin,
    connections: CONNECTIONS,
    requests,
    ...toLengthOptions(length, steps),
  })
  await waitUntilSettled()
  const seconds = (performance.now() - startedMs) / 1000
  const cpuUsed = readProcessorTime(pid)
  if (faults[0] !== undefined || result.errors > 0) throw new Error(faults[0] ?? 'A connection failed.')
  const unitCount = result.requests.total / steps.length
  if (unitCount === 0) throw new Error('The server completed no call in this time.')
  return {
    perSecond: unitCount / result.duration,
    settledPerSecond: unitCount / seconds,
    p50: result.latency.p50,
    p99: result.latency.p99,
    mainUs: (cpuUsed.main - before.main) / unitCount,
    othersUs: (cpuUsed.others - before.others) / unitCount,
    postgresUs: (readPostgresTime() - postgresBefore) / unitCount,
  }
}

/** The state that autocannon carries from one step of a connection to the next. */
interface Turn {
  lastResponse?: unknown
  expectedStatus?: number
}

function toRequest(
  step: Step,
  isFollowed: boolean,
  pathname: string,
  authorization: string,
  faults: string[],
): autocannon.Request {
  return {
    method: 'POST',
    setupRequest(request, turn: Turn) {
      const { path, body, headers, status } = step(turn.lastResponse)
      turn.expectedStatus = status
      return {
        ...request,
        path: pathname + path,
        headers: { authorization, ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body === undefined ? '' : JSON.stringify(body),
      }
    },
    onResponse(status, body, turn: Turn) {
      if (status !== turn.expectedStatus)
        faults.push(`The server returned ${status}, not ${turn.expectedStatus}: ${body}`)
      else if (isFollowed) turn.lastResponse = JSON.parse(body)
    },
  }
}

function toLengthOptions(length: Length, steps: readonly Step[]): Partial<autocannon.Options> {
  if ('calls' in length) return { amount: length.calls * steps.length }
  const { seconds, perSecond } = length
  if (perSecond === undefined) return { duration: seconds }
  // Measures the calls themselves, without the time that they wait for a free connection.
  return {
    duration: seconds,
    overallRate: Math.max(1, Math.round(perSecond)),
    ignoreCoordinatedOmission: true,
  }
}

/** Makes one call outside of a load. Returns the response body. */
export async function send({ baseUrl, authorization }: Target, call: Call): Promise<unknown> {
  const response = await fetch(baseUrl + call.path, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...call.headers },
    ...(call.body ? { body: JSON.stringify(call.body) } : {}),
  })
  const text = await response.text()
  if (response.status !== call.status) throw new Error(`The server returned ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** Resolves once the sandbox has run all due jobs. */
export async function settleSandbox(target: Target): Promise<void> {
  await send(target, { path: '/sandbox/clock/advance', body: { seconds: 0 }, status: 200 })
}

export function buildAuthorization({
  tokenId,
  clientSecret,
}: {
  tokenId: string
  clientSecret: string
}): string {
  return `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
}

/** Returns a function that cycles through the items forever. */
export function cycle<T>(all: readonly T[]): () => T {
  let next = 0
  return () => {
    const found = all[next++ % all.length]
    if (found === undefined) throw new Error('The list is empty.')
    return found
  }
}

/** Returns a random item. */
export function pickRandom<T>(all: readonly T[]): T {
  const found = all[Math.floor(Math.random() * all.length)]
  if (found === undefined) throw new Error('The list is empty.')
  return found
}
