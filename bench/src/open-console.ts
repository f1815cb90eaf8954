import { Countersign } from '@countersign/sdk'
import { getPauseMs } from '../../console/src/data/paced-reads.ts'
import type { Credentials } from './server-process.ts'

/** A console page, represented by the requests that it makes. */
export type ConsolePage = 'overview' | 'transactions'

/** The days shown in the overview's charts, plus the preceding period of the same length. */
const DAYS = 60
const DAY_MS = 86_400_000
const ROWS = 100

/**
 * An open console page without a browser. It follows the platform's events and refetches data as the page
 * does.
 */
export class OpenConsole {
  readonly #closing = new AbortController()
  readonly #member: Countersign
  readonly #done: Promise<void>
  /** Durations of the reads, in ms. */
  readonly readMs: number[] = []

  private constructor(member: Countersign, page: ConsolePage) {
    this.#member = member
    this.#done = this.#follow(page)
  }

  /** Signs in as a team member and opens a page. */
  static async open(credentials: Credentials, page: ConsolePage): Promise<OpenConsole> {
    return new OpenConsole(await signIn(credentials), page)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#done
  }

  async #follow(page: ConsolePage): Promise<void> {
    const { signal } = this.#closing
    let nextMs = Number.NEGATIVE_INFINITY
    for await (const _ of this.#member.followEvents({ latestOnly: true, signal })) {
      // The event stream has one event per second, so a read is at most a second late.
      const startMs = performance.now()
      if (startMs < nextMs) continue
      await readPage(this.#member, page)
      const tookMs = performance.now() - startMs
      this.readMs.push(tookMs)
      nextMs = startMs + getPauseMs(tookMs)
    }
  }
}

/**
 * Makes the requests that a page makes after a change, including the request for the counts in the
 * navigation, which the overview also uses.
 */
export async function readPage(member: Countersign, page: ConsolePage): Promise<void> {
  const { overview, transactions, sandbox } = member
  const countDays = async () => {
    const { now } = await sandbox.clock()
    const startDate = new Date(Date.parse(now) - DAYS * DAY_MS).toISOString()
    await transactions.statistics({ interval: 'DAY', startDate })
  }
  await Promise.all([
    overview.get(),
    page === 'overview' ? countDays() : transactions.list({ limit: ROWS, includeNames: true }),
  ])
}

/** Signs in as a team member through the sandbox's link. Returns a client with the session cookie. */
export async function signIn(credentials: Credentials): Promise<Countersign> {
  const { url } = await new Countersign(credentials).sandbox.consoleLink()
  const { hash } = new URL(url)
  const { origin } = new URL(credentials.baseUrl)
  let cookie = ''
  const member = new Countersign({
    baseUrl: credentials.baseUrl,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('origin', origin)
      headers.set('sec-fetch-site', 'same-origin')
      if (cookie !== '') headers.set('cookie', cookie)
      const response = await fetch(input, { ...init, headers })
      cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
      return response
    },
  })
  await member.memberSessions.create({ type: 'LINK', token: hash.slice(hash.indexOf('=') + 1) })
  return member
}
