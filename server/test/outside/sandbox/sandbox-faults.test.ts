import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  newReceiverPlatform,
  sequences,
  waitForEventState,
} from '../../worlds/simulators/webhook-receiver.testing.ts'

const BALANCE = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'

let client: Client
let usd: string
beforeAll(async () => {
  client = await newPlatform()
  usd = (await newCustomer(client)).usd
})

const buildHeaders = (fault: string, key?: string) => ({
  'Svc-Sandbox-Fault': fault,
  ...(key === undefined ? {} : { 'Idempotency-Key': key }),
})

const fundAccount = (amount: number, headers: Record<string, string> = {}) =>
  client.post(`/sandbox/internal-accounts/${usd}/fund`, { amount }, headers)

const readAppliedFault = ({ headers }: Reply) => headers.get('svc-sandbox-fault-applied')

async function readBalance(): Promise<number> {
  const { data } = (await client.get('/customers/internal-accounts')).body
  return data.find(({ id }: { id: string }) => id === usd).balance.amount
}

const listRules = async (platform: Client) => (await platform.get('/config')).body.sandboxConfig.faults

const setRules = (platform: Client, faults: unknown) =>
  platform.send('PATCH', '/config', { sandboxConfig: { faults } })

describe('the sandbox fault header', () => {
  test('loses the response to a completed call, and a retry gets it', async () => {
    const before = await readBalance()
    await expect(fundAccount(7, buildHeaders('lost-answer', 'lost'))).rejects.toThrow()
    expect(await readBalance()).toBe(before + 7)
    const repeated = await fundAccount(7, { 'Idempotency-Key': 'lost' })
    expect(repeated.status).toBe(200)
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect(readAppliedFault(repeated)).toBeNull()
    expect(await readBalance()).toBe(before + 7)
  })

  test.each([
    [409, 'CONFLICT', null],
    [429, 'RATE_LIMITED', '1'],
    [500, 'INTERNAL_ERROR', null],
    [503, 'UNAVAILABLE', '1'],
  ] as const)(
    'returns %i before anything is done, and the idempotency key stays unused',
    async (status, code, retryAfter) => {
      const before = await readBalance()
      const key = `error ${status}`
      const refusal = await fundAccount(3, buildHeaders(`error=${status}`, key))
      expectError(refusal, { code })
      expect(refusal.body.message).toContain('Svc-Sandbox-Fault')
      expect(refusal.headers.get('retry-after')).toBe(retryAfter)
      expect(readAppliedFault(refusal)).toBe(`error=${status}`)
      expect(await readBalance()).toBe(before)
      const done = await fundAccount(3, { 'Idempotency-Key': key })
      expect(done.headers.get('idempotency-replayed')).toBeNull()
      expect(await readBalance()).toBe(before + 3)
    },
  )

  test('delays the response, after the call is done', async () => {
    const startedMs = performance.now()
    const delayed = await fundAccount(1, buildHeaders('delay=300'))
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(300)
    expect(delayed.status).toBe(200)
    expect(readAppliedFault(delayed)).toBe('delay=300')
    const refusal = await fundAccount(1, buildHeaders('delay=1, error=503'))
    expect(readAppliedFault(refusal)).toBe('delay=1, error=503')
    expect(refusal.status).toBe(503)
  })

  test('also loses the response to a read and to a refused call', async () => {
    await expect(client.send('GET', '/config', undefined, buildHeaders('lost-answer'))).rejects.toThrow()
    await expect(fundAccount(-1, buildHeaders('lost-answer'))).rejects.toThrow()
  })

  test.each(['', 'lost', 'delay', 'delay=-1', 'delay=60001', 'error=404', 'lost-answer, lost-answer'])(
    'is refused if it is "%s"',
    async (fault) => {
      const refusal = await fundAccount(1, buildHeaders(fault))
      expectError(refusal, { code: 'INVALID_INPUT', field: 'Svc-Sandbox-Fault' })
    },
  )

  test('has no effect for callers without valid credentials', async () => {
    const response = await fetch(`${client.baseUrl}/config`, { headers: buildHeaders('lost-answer') })
    expect(response.status).toBe(401)
  })
})

describe('a sandbox fault rule', () => {
  test('breaks exactly its number of calls, even if they are concurrent', async () => {
    const platform = await newPlatform()
    await setRules(platform, [{ fault: 'error=503', operation: 'customer_create', times: 3 }])
    const replies = await Promise.all(
      Array.from({ length: 12 }, () =>
        platform.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' }),
      ),
    )
    const refusals = replies.filter(({ status }) => status === 503)
    expect(refusals).toHaveLength(3)
    for (const refusal of refusals) expect(readAppliedFault(refusal)).toBe('error=503')
    expect((await platform.get('/customers')).body.totalCount).toBe(9)
    expect(await listRules(platform)).toEqual([])
  })

  test('without a number applies until it is removed, and never affects the call that removes it', async () => {
    const platform = await newPlatform()
    await setRules(platform, [{ fault: 'error=500' }])
    for (let call = 0; call < 2; call++)
      expectError(await platform.get('/customers'), { code: 'INTERNAL_ERROR' })
    expect(await listRules(platform)).toEqual([{ fault: 'error=500' }])
    expect((await setRules(platform, [])).body.sandboxConfig).toEqual({
      verification: 'AUTOMATIC',
      faults: [],
    })
    expect((await platform.get('/customers')).status).toBe(200)
  })

  test('leaves other operations, other platforms and other settings alone', async () => {
    const platform = await newPlatform()
    await platform.send('PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } })
    const { body } = await setRules(platform, [{ fault: 'error=409', operation: 'quote_create' }])
    expect(body.sandboxConfig.verification).toBe('MANUAL')
    expect((await platform.get('/customers')).status).toBe(200)
    expect((await client.get('/customers')).status).toBe(200)
    expectError(await platform.post('/quotes', {}), { code: 'CONFLICT' })
  })

  test.each([
    [{ fault: 'error=404' }, 'fault'],
    [{ fault: 'delay=99999' }, 'fault'],
    [{ fault: 'error=500, webhook=reorder' }, 'fault'],
    [{ fault: 'error=500', operation: 'quote_creat' }, 'operation'],
    [{ fault: 'webhook=reorder', operation: 'quote_create' }, 'operation'],
    [{ fault: 'error=500', eventType: BALANCE }, 'eventType'],
    [{ fault: 'error=500', times: 0 }, 'times'],
  ])('is refused if it is invalid: %j', async (rule, member) => {
    const refusal = await setRules(client, [{ fault: 'lost-answer', operation: 'quote_get', times: 1 }, rule])
    expectError(refusal, { code: 'INVALID_INPUT', field: `sandboxConfig.faults.1.${member}` })
    expect(await listRules(client)).toEqual([])
  })
})

describe('a sandbox webhook', () => {
  test('arrives twice if the call requests a duplicate', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await client.post(
      `/sandbox/internal-accounts/${usd}/fund`,
      { amount: 1 },
      buildHeaders('webhook=duplicate'),
    )
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    await waitForEventState(client, id, ({ deliveryAttempts }) => deliveryAttempts.length === 1)
    await client.advance(10)
    await receiver.until((all) => all.length === 2)
    expect(receiver.received[1]!.event).toEqual(receiver.received[0]!.event)
    const event = await waitForEventState(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
    expect(event.deliveryAttempts).toMatchObject([{ error: 'SANDBOX_FAULT' }, { responseStatus: 200 }])
    await client.advance(3600)
    expect(receiver.received).toHaveLength(2)
  })

  test('arrives after later ones if a rule requests a reorder', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await setRules(client, [{ fault: 'webhook=reorder', eventType: BALANCE, times: 1 }])
    await fund(client, usd, 1)
    await client.advance(0)
    expect(receiver.received).toEqual([])
    await fund(client, usd, 2)
    await receiver.until((all) => all.length === 1)
    expect(sequences(receiver.received)).toEqual([2])
    await client.advance(10)
    await receiver.until((all) => all.length === 2)
    expect(sequences(receiver.received)).toEqual([2, 1])
    expect(await listRules(client)).toEqual([])
    await fund(client, usd, 3)
    await receiver.until((all) => all.length === 3)
    expect(sequences(receiver.received)).toEqual([2, 1, 3])
  })

  test('that a rule delays lets the next one pass, and retries are not delayed', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => 500
    for (const amount of [1, 2, 3]) await fund(client, usd, amount)
    await receiver.until((all) => all.length === 1)
    // The other webhooks now wait for the first, which will be retried.
    await client.advance(0)
    receiver.answer = () => 200
    await setRules(client, [{ fault: 'webhook=reorder', times: 1 }])
    await client.advance(6)
    await receiver.until((all) => all.length === 3)
    const first = sequences(receiver.received)[0] ?? 0
    expect(sequences(receiver.received)).toEqual([first, first, first + 2])
    await client.advance(10)
    await receiver.until((all) => all.length === 4)
    expect(sequences(receiver.received).at(-1)).toBe(first + 1)
  })
})
