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

const numberIn = (headers: Headers, name: string) => Number(headers.get(name))

describe('a caller', () => {
  test('sees the remaining requests with each response, and beyond them gets 429 with the time to wait', async () => {
    const first = await client.get('/config')
    expect(numberIn(first.headers, 'ratelimit-limit')).toBe(PER_TOKEN)
    expect(numberIn(first.headers, 'ratelimit-remaining')).toBe(PER_TOKEN - 1)
    expect(numberIn(first.headers, 'ratelimit-reset')).toBeGreaterThan(0)
    const more = await Promise.all(Array.from({ length: PER_TOKEN + 20 }, () => client.get('/config')))
    const refused = more.filter(({ status }) => status === 429)
    // The first one counts. A second or two may have passed, and each frees one where a minute has just ended.
    expect(refused.length).toBeGreaterThanOrEqual(18)
    expect(refused.length).toBeLessThanOrEqual(22)
    for (const one of refused) {
      expectError(one, { code: 'RATE_LIMITED' })
      expect(numberIn(one.headers, 'retry-after')).toBeGreaterThan(0)
      expect(numberIn(one.headers, 'retry-after')).toBeLessThanOrEqual(60)
      expect(numberIn(one.headers, 'ratelimit-remaining')).toBe(0)
    }
    // Health, and another platform, are not its concern.
    expect((await fetch(`${service.app.origin()}/healthz`)).status).toBe(200)
    expect((await fetch(`${service.app.origin()}/readyz`)).status).toBe(200)
    expect((await (await newClient()).get('/config')).status).toBe(200)
  })

  test('that is an agent has a separate limit', async () => {
    const own = await newClient()
    const { id } = await newCustomer(own)
    const agent = await newAgent(own, id)
    const answers = await Promise.all(Array.from({ length: PER_PERSON + 5 }, () => agent.get('/agents/me')))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(PER_PERSON - 2)
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(4)
    expect((await own.get('/config')).status).toBe(200)
  })

  test('without valid credentials is counted by its address, unlike callers with credentials', async () => {
    const own = await newClient()
    const bring = [{}, { Authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' }]
    const answers = await Promise.all(
      Array.from({ length: PER_ADDRESS + 10 }, (_, n) =>
        fetch(`${own.baseUrl}/config`, { headers: bring[n % 2] as Record<string, string> }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(9)
    expect((await own.get('/config')).status).toBe(200)
  })
})

describe('the count', () => {
  const minute = (n: number) => n * WINDOW_MS

  test('of the previous minute decreases gradually, so that its edge gives no caller twice the limit', () => {
    const counts = new RequestCounts()
    const take = (ms: number) => counts.take('a', 60, ms).isAllowed
    for (let n = 0; n < 60; n++) expect(take(minute(10) + 59_000)).toBe(true)
    expect(take(minute(10) + 59_999)).toBe(false)
    expect(take(minute(11))).toBe(false)
    const refused = counts.take('a', 60, minute(11) + 500)
    expect(refused).toMatchObject({ isAllowed: false, retrySeconds: 1 })
    expect(take(minute(11) + 1_001)).toBe(true)
    expect(take(minute(11) + 1_002)).toBe(false)
    expect(take(minute(11) + 30_000)).toBe(true)
    // After a minute of silence all of it is free.
    expect(counts.take('a', 60, minute(13) + 59_000).remaining).toBe(59)
  })

  test('is shared by all servers on the database', async () => {
    const limits = { perToken: 20, perPerson: 0, perAddress: 0 }
    const at = new Date('2026-03-01T00:00:30Z')
    const { db, newId } = { db: service.app.db, newId: () => crypto.randomUUID() }
    const [one, other] = [newId(), newId()].map((name) => new RequestLimits(limits, () => at, name))
    const platform = await service.newOp()
    const actor = { kind: 'token', tokenId: platform.newId('Token'), tokenName: '', permissions: [] } as const
    for (let n = 0; n < 15; n++) await one!.take(actor)
    await one!.exchange(db)
    expect((await other!.take(actor))!.remaining).toBe(19)
    await other!.exchange(db)
    expect((await other!.take(actor))!.remaining).toBe(3)
    await other!.exchange(db)
    await one!.take(actor)
    await one!.exchange(db)
    expect((await one!.take(actor))!.remaining).toBe(1)
    await one!.take(actor)
    await expect(one!.take(actor)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })
})
