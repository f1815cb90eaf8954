import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  eventOnce,
  newReceiverPlatform,
  sequences,
} from '../../worlds/simulators/webhook-receiver.testing.ts'

const BALANCE = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'

let client: Client
let usd: string
beforeAll(async () => {
  client = await newPlatform()
  usd = (await newCustomer(client)).usd
})

const asks = (fault: string, key?: string) => ({
  'Svc-Sandbox-Fault': fault,
  ...(key === undefined ? {} : { 'Idempotency-Key': key }),
})

const pay = (amount: number, headers: Record<string, string> = {}) =>
  client.post(`/sandbox/internal-accounts/${usd}/fund`, { amount }, headers)

const applied = ({ headers }: Reply) => headers.get('svc-sandbox-fault-applied')

async function balance(): Promise<number> {
  const { data } = (await client.get('/customers/internal-accounts')).body
  return data.find(({ id }: { id: string }) => id === usd).balance.amount
}

const rules = async (of: Client) => (await of.get('/config')).body.sandboxConfig.faults

const setRules = (of: Client, faults: unknown) => of.send('PATCH', '/config', { sandboxConfig: { faults } })

describe('the header', () => {
  test('loses the response to a completed call, and the repeat gets it', async () => {
    const before = await balance()
    await expect(pay(7, asks('lost-answer', 'lost'))).rejects.toThrow()
    expect(await balance()).toBe(before + 7)
    const repeated = await pay(7, { 'Idempotency-Key': 'lost' })
    expect(repeated.status).toBe(200)
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    expect(applied(repeated)).toBeNull()
    expect(await balance()).toBe(before + 7)
  })

  test.each([
    [409, 'CONFLICT', null],
    [429, 'RATE_LIMITED', '1'],
    [500, 'INTERNAL_ERROR', null],
    [503, 'UNAVAILABLE', '1'],
  ] as const)(
    'returns %i before anything is done, and the key stays free',
    async (status, code, retryAfter) => {
      const before = await balance()
      const key = `error ${status}`
      const refused = await pay(3, asks(`error=${status}`, key))
      expectError(refused, { code })
      expect(refused.body.message).toContain('Svc-Sandbox-Fault')
      expect(refused.headers.get('retry-after')).toBe(retryAfter)
      expect(applied(refused)).toBe(`error=${status}`)
      expect(await balance()).toBe(before)
      const done = await pay(3, { 'Idempotency-Key': key })
      expect(done.headers.get('idempotency-replayed')).toBeNull()
      expect(await balance()).toBe(before + 3)
    },
  )

  test('delays the response, after the call is done', async () => {
    const startedMs = performance.now()
    const late = await pay(1, asks('delay=300'))
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(300)
    expect(late.status).toBe(200)
    expect(applied(late)).toBe('delay=300')
    const refused = await pay(1, asks('delay=1, error=503'))
    expect(applied(refused)).toBe('delay=1, error=503')
    expect(refused.status).toBe(503)
  })

  test('loses the response to a read and to a refusal as well', async () => {
    await expect(client.send('GET', '/config', undefined, asks('lost-answer'))).rejects.toThrow()
    await expect(pay(-1, asks('lost-answer'))).rejects.toThrow()
  })

  test.each(['', 'lost', 'delay', 'delay=-1', 'delay=60001', 'error=404', 'lost-answer, lost-answer'])(
    'is refused if it is "%s"',
    async (fault) => {
      const refused = await pay(1, asks(fault))
      expectError(refused, { code: 'INVALID_INPUT', field: 'Svc-Sandbox-Fault' })
    },
  )

  test('is only for callers with valid credentials', async () => {
    const response = await fetch(`${client.baseUrl}/config`, { headers: asks('lost-answer') })
    expect(response.status).toBe(401)
  })
})

describe('a rule', () => {
  test('breaks exactly its number of calls, also concurrent ones', async () => {
    const own = await newPlatform()
    await setRules(own, [{ fault: 'error=503', operation: 'customer_create', times: 3 }])
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        own.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada' }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused).toHaveLength(3)
    for (const one of refused) expect(applied(one)).toBe('error=503')
    expect((await own.get('/customers')).body.totalCount).toBe(9)
    expect(await rules(own)).toEqual([])
  })

  test('without a number applies until it is removed, and never breaks the call that removes it', async () => {
    const own = await newPlatform()
    await setRules(own, [{ fault: 'error=500' }])
    for (let call = 0; call < 2; call++) expectError(await own.get('/customers'), { code: 'INTERNAL_ERROR' })
    expect(await rules(own)).toEqual([{ fault: 'error=500' }])
    expect((await setRules(own, [])).body.sandboxConfig).toEqual({ verification: 'AUTOMATIC', faults: [] })
    expect((await own.get('/customers')).status).toBe(200)
  })

  test('leaves other operations, other platforms and other settings alone', async () => {
    const own = await newPlatform()
    await own.send('PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } })
    const { body } = await setRules(own, [{ fault: 'error=409', operation: 'quote_create' }])
    expect(body.sandboxConfig.verification).toBe('MANUAL')
    expect((await own.get('/customers')).status).toBe(200)
    expect((await client.get('/customers')).status).toBe(200)
    expectError(await own.post('/quotes', {}), { code: 'CONFLICT' })
  })

  test.each([
    [{ fault: 'error=404' }, 'fault'],
    [{ fault: 'delay=99999' }, 'fault'],
    [{ fault: 'error=500, webhook=reorder' }, 'fault'],
    [{ fault: 'error=500', operation: 'quote_creat' }, 'operation'],
    [{ fault: 'webhook=reorder', operation: 'quote_create' }, 'operation'],
    [{ fault: 'error=500', eventType: BALANCE }, 'eventType'],
    [{ fault: 'error=500', times: 0 }, 'times'],
  ])('that is invalid is refused: %j', async (rule, member) => {
    const refused = await setRules(client, [{ fault: 'lost-answer', operation: 'quote_get', times: 1 }, rule])
    expectError(refused, { code: 'INVALID_INPUT', field: `sandboxConfig.faults.1.${member}` })
    expect(await rules(client)).toEqual([])
  })
})

describe('a webhook', () => {
  test('arrives twice if the call requests it', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    await client.post(`/sandbox/internal-accounts/${usd}/fund`, { amount: 1 }, asks('webhook=duplicate'))
    await receiver.until((all) => all.length === 1)
    const { id } = receiver.received[0]!.event
    await eventOnce(client, id, ({ deliveryAttempts }) => deliveryAttempts.length === 1)
    await client.advance(10)
    await receiver.until((all) => all.length === 2)
    expect(receiver.received[1]!.event).toEqual(receiver.received[0]!.event)
    const event = await eventOnce(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
    expect(event.deliveryAttempts).toMatchObject([{ error: 'SANDBOX_FAULT' }, { responseStatus: 200 }])
    await client.advance(3600)
    expect(receiver.received).toHaveLength(2)
  })

  test('arrives after later ones if a rule requests it', async () => {
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
    expect(await rules(client)).toEqual([])
    await fund(client, usd, 3)
    await receiver.until((all) => all.length === 3)
    expect(sequences(receiver.received)).toEqual([2, 1, 3])
  })

  test('out of order lets the next one pass that waits for it, and retries are not put off', async () => {
    const { client, usd, receiver } = await newReceiverPlatform()
    receiver.answer = () => 500
    for (const amount of [1, 2, 3]) await fund(client, usd, amount)
    await receiver.until((all) => all.length === 1)
    // The others wait now for the first, which is to be tried again.
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
