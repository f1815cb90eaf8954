import { createHash } from 'node:crypto'
import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { RecordedCall, RecordedExamples } from '@countersign/contract/document/examples'
import { parseJson, toJson } from '../../../src/base/json/json.ts'
import { Client, type Reply, until } from '../client.testing.ts'
import {
  bookedDeposit,
  dateBefore,
  ModelBank,
  openProduction,
  type Production,
} from '../production/production.testing.ts'
import { buildValidBody } from './calls.testing.ts'

/** A call as it was made over HTTP. */
interface RecordedReply {
  readonly name: EndpointName
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly reply: Reply
  /** True if this call is shown although later calls exist. */
  isChosen?: boolean
}

/** Paths without parameters are matched before patterns. */
const PATTERNS = Object.entries<Endpoint>(API)
  .map(([name, { method, path }]) => ({
    name: name as EndpointName,
    method,
    names: [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!),
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
  }))
  .sort((first, second) => first.names.length - second.names.length)

/** A client that records each successful call. */
export class RecordingClient extends Client {
  readonly #calls: RecordedReply[]

  constructor({ credentials, baseUrl }: Client, calls: RecordedReply[] = []) {
    super(credentials, baseUrl)
    this.#calls = calls
  }

  /** Creates a client for a different platform or server that adds to the same records. */
  with(client: Client): RecordingClient {
    return new RecordingClient(client, this.#calls)
  }

  override async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const reply = await super.send(method, path, body, headers)
    const { pathname, searchParams } = new URL(path, 'http://server')
    const found = PATTERNS.find(
      (candidate) => candidate.method === method && candidate.pattern.test(pathname),
    )
    if (reply.status >= 300 || !found) return reply
    const values = found.pattern.exec(pathname)!.slice(1).map(decodeURIComponent)
    const params = Object.fromEntries(found.names.map((name, index) => [name, values[index]!]))
    this.#calls.push({ name: found.name, params, query: Object.fromEntries(searchParams), body, reply })
    return reply
  }

  /** Marks the most recent call of this endpoint as the one to show. */
  choose(name: EndpointName): void {
    const last = this.#calls.findLast((call) => call.name === name)
    if (last) last.isChosen = true
  }

  /**
   * Returns the chosen or else the last successful call of each endpoint, with a response for each of its statuses.
   * Times near `now`, on the platform's clock, become fixed times with the same distances.
   */
  examples(records: Readonly<Record<string, string>>, now: string): RecordedExamples {
    const bodies = this.#calls.map(({ reply }) => reply.body ?? null)
    const stable = stabilizer(bodies, now)
    const calls: Record<string, RecordedCall> = {}
    for (const name of Object.keys(API) as EndpointName[]) {
      const endpointCalls = this.#calls.filter((call) => call.name === name)
      const last = endpointCalls.find(({ isChosen }) => isChosen) ?? endpointCalls.at(-1)
      if (!last) continue
      const answers: Record<string, unknown> = {}
      for (const { reply } of [...endpointCalls, last])
        answers[reply.status] =
          typeof reply.body === 'string' ? takeFirstLines(reply.body) : shortenLists(reply.body ?? null)
      const { params, query, body } = last
      calls[name] = stable({ params, query, ...(body === undefined ? {} : { body }), answers })
    }
    return { records: stable(records), calls }
  }
}

const takeFirstLines = (text: string) => text.split('\n').slice(0, 3).join('\n')

/** Shortens lists to two records. */
function shortenLists(value: unknown): unknown {
  if (Array.isArray(value)) {
    const visible = value.some((item) => typeof item === 'object') ? value.slice(0, 2) : value
    return visible.map(shortenLists)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortenLists(member)]))
}

const UUID = /(\b[A-Z][A-Za-z]+:)?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const BEGIN_MS = Date.parse('2026-01-15T09:00:00Z')
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000
/**
 * Matches keys, signatures, secrets and tokens: long strings that mix letters and digits. The start of a line in a
 * file does not match.
 */
const SECRET = /(?<![\w$\\-])(csa_|whsec_|csc_)?(?=[\w+=-]*\d[\w+=-]*\d)(?!0x)([\w+=-]{30,})/g

/**
 * Replaces ids, times, keys and secrets with neutral values. The same value is replaced in the same way
 * everywhere.
 */
export function stabilizer(bodies: readonly unknown[], nowText: string): <T>(value: T) => T {
  const ids = new Map<string, string>()
  const counts = new Map<string, number>()
  // Counted by kind, so that a new call renumbers only records of that kind.
  const toStableId = (id: string, kind = '') => {
    const known = ids.get(id)
    if (known) return `${kind}${known}`
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const stableId = `0198c0de-0000-7000-8${hashToHex(kind).slice(0, 3)}-${String(count).padStart(12, '0')}`
    ids.set(id, stableId)
    return `${kind}${stableId}`
  }
  const times = [...toJson(bodies).matchAll(TIME)].map(([time]) => Date.parse(time))
  const now = Date.parse(nowText)
  const first = Math.min(...times.filter((time) => Math.abs(time - now) < DAY_MS), now)
  const toStableTime = (text: string) => {
    // Rounded to the minute, because the duration of calls differs from run to run.
    const moved = BEGIN_MS + Math.round((Date.parse(text) - first) / MINUTE_MS) * MINUTE_MS
    return new Date(moved).toISOString()
  }
  const toStableDay = (day: string) => {
    const days = Math.round((Date.parse(day) - Date.parse(nowText.slice(0, 10))) / DAY_MS)
    return Math.abs(days) > 60 ? day : new Date(BEGIN_MS + days * DAY_MS).toISOString().slice(0, 10)
  }
  const toStableSecret = (text: string, prefix: string | undefined, rest: string) =>
    text.startsWith('0198c0de-') ? text : `${prefix ?? ''}${scramble(rest)}`
  return <T>(value: T): T =>
    parseJson(
      toJson(value)
        .replaceAll(UUID, (_, kind: string | undefined, id: string) => toStableId(id, kind))
        .replaceAll(TIME, toStableTime)
        .replaceAll(/(?<=")\d{4}-\d\d-\d\d(?=")/g, toStableDay)
        .replaceAll(SECRET, toStableSecret)
        .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}-[0-9A-HJKMNP-TV-Z]{3}\b/g, '4F7-K2M-9QX')
        .replaceAll(/\b[0-9a-f]{10}(?=\.uma\.example|")/g, 'f41c7ea666')
        .replaceAll(/(?<=127\.0\.0\.1:|localhost:)\d+/g, '8787'),
    ) as T
}

const hashToHex = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * Replaces characters with others of the same kind: hexadecimal digits stay hexadecimal, and a public key
 * keeps its prefix.
 */
function scramble(text: string): string {
  const isHex = /^[0-9a-f]+$/.test(text)
  let at = 0
  let digest = createHash('sha256').update(text.length.toString()).digest()
  return text.replaceAll(/[A-Za-z0-9]/g, (character, index: number) => {
    if (isHex && index < 2) return character
    if (at === digest.length) {
      digest = createHash('sha256').update(digest).digest()
      at = 0
    }
    const byte = digest[at++]!
    if (isHex) return (byte % 16).toString(16)
    if (/\d/.test(character)) return String(byte % 10)
    const letter = String.fromCharCode(97 + (byte % 26))
    return character === character.toUpperCase() ? letter.toUpperCase() : letter
  })
}

/** Calls about records that a sandbox does not have. `playProduction` makes them. */
export const OF_PRODUCTION: readonly EndpointName[] = [
  'reconciliation_list',
  'reconciliation_get',
  'reconciliation_match_suggestion_list',
  'reconciliation_match_create',
  'reconciliation_match_list',
  'reconciliation_match_undo',
  'reconciliation_match_close',
  'deposit_adjust',
]

/**
 * Reads a rail's day that a bank statement has closed, adjusts one deposit to another, and matches a third.
 */
export async function playProduction(recorder: RecordingClient): Promise<void> {
  const world = await openProduction()
  try {
    const client = recorder.with(world.client)
    const bank = new ModelBank(world)
    const day = dateBefore(1)
    bank.book(day, { kind: 'FEE', amount: '-30', text: 'Account fee' })
    bank.book(day, { kind: 'INTEREST', amount: '4' })
    await bank.tell(bank.event('statement', bank.close(day)))
    const { data } = await until(
      async () => (await client.get(`/reconciliations?startDate=${day}`)).body,
      (page) => page.data[0]?.status === 'BALANCED',
    )
    await client.get(`/reconciliations/${data[0].id}`)
    const deposit = await bookedDeposit(world, 5000, 4970)
    await client.post(`/deposits/${deposit}/adjust`, buildValidBody('deposit_adjust', {}))
    await playMatches(recorder, world)
  } finally {
    await world.close()
  }
}

/** Matches a statement line with its deposit, undoes the match, and closes another line. */
async function playMatches(recorder: RecordingClient, world: Production): Promise<void> {
  const client = recorder.with(world.client)
  const Deposit = await bookedDeposit(world, 5000, 4970)
  const [day] = (await world.client.get('/reconciliations?limit=1')).body.data
  const { data } = (await client.get(`/reconciliations/${day.id}/match-suggestions`)).body
  const [StatementEntry] = data[0].statementEntryIds
  const rail = { rail: day.rail }
  const body = {
    ...Object(buildValidBody('reconciliation_match_create', { Deposit, StatementEntry })),
    ...rail,
  }
  const match = await client.post('/reconciliation-matches', body)
  await client.get(`/reconciliation-matches?rail=${day.rail}`)
  await client.post(
    `/reconciliation-matches/${match.body.id}/undo`,
    buildValidBody('reconciliation_match_undo', {}),
  )
  const secondMatch = await world.client.post('/reconciliation-matches', body)
  await client.post(`/reconciliation-matches/${secondMatch.body.id}/close`)
}
