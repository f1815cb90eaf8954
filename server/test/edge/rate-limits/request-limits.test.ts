import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RequestCounts, WINDOW_MS } from '../../../src/edge/rate-limits/request-counts.ts'
import { RequestLimits } from '../../../src/edge/rate-limits/request-limits.ts'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import { Client, newCustomer } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const PER_TOKEN = 60
const PER_PERSON = 12
const PER_ADDRESS = 15

let service: TestServer
let client: Client
beforeAll(async () => {
  service = await openServer({
    REQUESTS_PER_TOKEN: String(PER_TOKEN),
    REQUESTS_PER_PERSON: String(PER_PERSON),
    REQUESTS_PER_ADDRESS: String(PER_ADDRESS),
  })
  client = await newClient()
})
afterAll(() => service.close())

async function newClient(): Promise<Client> {
  const credentials = await createPlatform(service.app, 'Limited')
  return new Client(credentials, `${service.app.origin()}/2025-10-13`)
}

const readNumber = (headers: Headers, name: string) => Number(headers.get(name))

describe('a caller', () => {
  test('sees the remaining requests in each response, and beyond the limit gets 429 with the time to wait', async () => {
    const first = await client.get('/config')
    expect(readNumber(first.headers, 'ratelimit-limit')).toBe(PER_TOKEN)
    expect(readNumber(first.headers, 'ratelimit-remaining')).toBe(PER_TOKEN - 1)
    expect(readNumber(first.headers, 'ratelimit-reset')).toBeGreaterThan(0)
    const replies = await Promise.all(Array.from({ length: PER_TOKEN + 20 }, () => client.get('/config')))
    const refusals = replies.filter(({ status }) => status === 429)
    // The first request counts too. Each second that passed after the end of a minute frees one request.
    expect(refusals.length).toBeGreaterThanOrEqual(18)
    expect(refusals.length).toBeLessThanOrEqual(22)
    for (const refusal of refusals) {
      expectError(refusal, { code: 'RATE_LIMITED' })
      expect(readNumber(refusal.headers, 'retry-after')).toBeGreaterThan(0)
      expect(readNumber(refusal.headers, 'retry-after')).toBeLessThanOrEqual(60)
      expect(readNumber(refusal.headers, 'ratelimit-remaining')).toBe(0)
    }
    // The limit does not apply to health probes and other platforms.
    expect((await fetch(`${service.app.origin()}/healthz`)).status).toBe(200)
    expect((await fetch(`${service.app.origin()}/readyz`)).status).toBe(200)
    expect((await (await newClient()).get('/config')).status).toBe(200)
  })

  test('that is an agent has a separate limit', async () => {
    const otherClient = await newClient()
    const { id } = await newCustomer(otherClient)
    const agent = await newAgent(otherClient, id)
    const replies = await Promise.all(Array.from({ length: PER_PERSON + 5 }, () => agent.get('/agents/me')))
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(PER_PERSON - 2)
    expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(4)
    expect((await otherClient.get('/config')).status).toBe(200)
  })

  test('without valid credentials is counted by its address, unlike callers with credentials', async () => {
    const otherClient = await newClient()
    const headerSets = [{}, { Authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' }]
    const replies = await Promise.all(
      Array.from({ length: PER_ADDRESS + 10 }, (_, n) =>
        fetch(`${otherClient.baseUrl}/config`, { headers: headerSets[n % 2] as Record<string, string> }),
      ),
    )
    const statuses = replies.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(9)
    expect((await otherClient.get('/config')).status).toBe(200)
  })
})

describe('the request count', () => {
  const toMs = (n: number) => n * WINDOW_MS

  test('of the previous minute decreases gradually, so that no caller gets twice the limit around its end', () => {
    const counts = new RequestCounts()
    const takeRequest = (ms: number) => counts.take('a', 60, ms).isAllowed
    for (let n = 0; n < 60; n++) expect(takeRequest(toMs(10) + 59_000)).toBe(true)
    expect(takeRequest(toMs(10) + 59_999)).toBe(false)
    expect(takeRequest(toMs(11))).toBe(false)
    const refusal = counts.take('a', 60, toMs(11) + 500)
    expect(refusal).toMatchObject({ isAllowed: false, retrySeconds: 1 })
    expect(takeRequest(toMs(11) + 1_001)).toBe(true)
    expect(takeRequest(toMs(11) + 1_002)).toBe(false)
    expect(takeRequest(toMs(11) + 30_000)).toBe(true)
    // After a minute without requests the whole limit is free.
    expect(counts.take('a', 60, toMs(13) + 59_000).remaining).toBe(59)
  })

  test('is shared by all servers on one database', async () => {
    const limits = { perToken: 20, perPerson: 0, perAddress: 0 }
    const time = new Date('2026-03-01T00:00:30Z')
    const { db, newId } = { db: service.app.db, newId: () => crypto.randomUUID() }
    const [firstLimits, secondLimits] = [newId(), newId()].map(
      (name) => new RequestLimits(limits, () => time, name),
    )
    const platform = await service.newOp()
    const actor = { kind: 'token', tokenId: platform.newId('Token'), tokenName: '', permissions: [] } as const
    for (let n = 0; n < 15; n++) await firstLimits!.take(actor)
    await firstLimits!.exchange(db)
    expect((await secondLimits!.take(actor))!.remaining).toBe(19)
    await secondLimits!.exchange(db)
    expect((await secondLimits!.take(actor))!.remaining).toBe(3)
    await secondLimits!.exchange(db)
    await firstLimits!.take(actor)
    await firstLimits!.exchange(db)
    expect((await firstLimits!.take(actor))!.remaining).toBe(1)
    await firstLimits!.take(actor)
    await expect(firstLimits!.take(actor)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })
})
