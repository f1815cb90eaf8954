import { randomUUID } from 'node:crypto'
import { eventSigningId } from '@countersign/contract/connectors/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildStandardHeaders, parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { newBankAccount, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  BANK_SECRET,
  exampleBank,
  newEuroAccount,
  openProduction,
  type Production,
  SECRET_NAME,
} from '../../worlds/production/production.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction()
})
afterEach(async () => {
  process.env[SECRET_NAME] = BANK_SECRET
  await world.setRails([exampleBank(world.bank.url)])
  await world.callBank('PATCH', '/behaviour', WELL)
})
afterAll(() => world.close())

const WELL = { failUntilMs: 0, answerDelayMs: 0, dropAnswers: 0, dropRequests: 0, holdEvents: false }
const FAR = 8_000_000_000_000_000
const SUM = 100_000

/** A customer with money, and an external account whose last three digits choose the bank's behavior. */
async function funded(suffix = '000') {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, String(SUM))
  await until(
    () => available(customerId),
    (amount) => amount === SUM,
  )
  return { customerId, account, other: await newEuroAccount(world.client, customerId, suffix) }
}

async function available(customerId: string): Promise<number> {
  const { body } = await world.client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=EUR`,
  )
  return Number(body.data[0].balance.amount)
}

async function send(account: string, other: string, amount = 10_000) {
  const body = { source: { accountId: account }, destination: { accountId: other }, amount }
  const sent = await world.client.post('/transfer-out', body)
  expect(sent.status, JSON.stringify(sent.body)).toBe(201)
  return sent.body
}

const transaction = async (id: string) => (await world.client.get(`/transactions/${id}`)).body

const ended = (id: string, status: string) =>
  until(
    () => transaction(id),
    (body) => body.status === status,
  )

/** Runs jobs planned for later now, and returns their number. */
async function askNow(): Promise<number> {
  const { rows } = await world.service.app.db.query(
    `UPDATE jobs SET due_at = created_at WHERE due_at > created_at AND kind <> 'quote.expire' RETURNING id`,
  )
  world.service.app.wakeJobs()
  return rows.length
}

/** Polls the rail until a payment has ended. */
const askedUntil = (id: string, status: string) =>
  until(
    async () => {
      await askNow()
      return transaction(id)
    },
    (body) => body.status === status,
  )

/** Polls the rail `times` times; each time the payment is unknown, and will be polled again. */
async function askTimes(times: number): Promise<void> {
  for (let asked = 0; asked < times; asked++) await until(askNow, (jobs) => jobs > 0)
}

/** The payments, or the entries, that the bank has of this id. */
async function atBank(what: 'payments' | 'entries', id: string) {
  return (await world.callBank('GET', `/${what}`)).data.filter((one: { id?: string }) => one.id === id)
}

/** Sends an event as a bank would, signed by a secret. */
async function tell(type: string, data: object, { id = randomUUID(), secrets = [BANK_SECRET] } = {}) {
  const body = JSON.stringify({ id, type, occurredAt: new Date().toISOString(), data })
  const keys = secrets.map((secret) => parseWebhookSecret(secret)!)
  const answer = await fetch(`${world.service.app.origin()}/rail-events/example-bank`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...buildStandardHeaders(keys, eventSigningId('example-bank', id), Buffer.from(body), new Date()),
    },
    body,
  })
  return { id, status: answer.status, body: await answer.json() }
}

const waiting = async () => (await world.client.get('/rail-events?status=WAITING&limit=100')).body.data
const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'It has come back' }

describe('a payment whose outcome is unknown', () => {
  test('is polled if the bank returns 503, and its money is not given back', async () => {
    const { customerId, account, other } = await funded()
    await world.callBank('PATCH', '/behaviour', { failUntilMs: FAR })
    const { id } = await send(account.id, other)
    await askTimes(3)
    expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
    expect(await available(customerId)).toBe(SUM - 10_000)
    expect(await atBank('payments', id)).toEqual([])
    await world.callBank('PATCH', '/behaviour', WELL)
    await askedUntil(id, 'COMPLETED')
    expect(await atBank('entries', id)).toHaveLength(1)
  })

  test('is found if the bank has it and its response was lost, without an event', async () => {
    const { account, other } = await funded('102')
    await world.callBank('PATCH', '/behaviour', { dropAnswers: 3, holdEvents: true })
    const { id } = await send(account.id, other)
    await askedUntil(id, 'COMPLETED')
    expect(await atBank('payments', id)).toHaveLength(1)
    expect(await atBank('entries', id)).toHaveLength(1)
  })

  test('is sent again, under the same id, if it never arrived', async () => {
    const { account, other } = await funded()
    await world.callBank('PATCH', '/behaviour', { dropRequests: 3 })
    const { id } = await send(account.id, other)
    await askedUntil(id, 'COMPLETED')
    expect(await atBank('payments', id)).toHaveLength(1)
  })

  test('is polled after a timeout', async () => {
    await world.setRails([exampleBank(world.bank.url, { timeoutSeconds: 1 })])
    const { customerId, account, other } = await funded('102')
    await world.callBank('PATCH', '/behaviour', { answerDelayMs: 1500, holdEvents: true })
    const { id } = await send(account.id, other)
    await until(
      () => atBank('payments', id),
      ({ length }) => length === 1,
    )
    expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
    await until(askNow, (jobs) => jobs > 0)
    expect(await available(customerId)).toBe(SUM - 10_000)
    await world.callBank('PATCH', '/behaviour', WELL)
    await askedUntil(id, 'COMPLETED')
    expect(await atBank('entries', id)).toHaveLength(1)
  })
})

describe('a report of a bank', () => {
  test('takes effect once, for any number of sequential and parallel repeats', {
    tags: 'smoke',
  }, async () => {
    const { customerId, account, other } = await funded('105')
    const { id } = await send(account.id, other)
    const event = { id: randomUUID() }
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => tell('payment.returned', { id, failure }, event)),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect((await ended(id, 'FAILED')).settledAt).toBeUndefined()
    expect(await available(customerId)).toBe(SUM)
    const told = await world.client.events(`&objectId=${id}`)
    expect(told.map(({ type }) => type)).toEqual(['OUTGOING_PAYMENT.PENDING', 'OUTGOING_PAYMENT.FAILED'])
  })

  test('has the same result in any order', async () => {
    const { customerId, account, other } = await funded('105')
    const said = [
      ['payment.accepted', {}],
      ['payment.delivered', {}],
      ['payment.returned', { failure }],
    ] as const
    for (const order of ['012', '021', '102', '120', '201', '210']) {
      const { id } = await send(account.id, other)
      for (const n of order) {
        const [type, more] = said[Number(n)]!
        expect((await tell(type, { id, ...more })).status).toBe(200)
      }
      await ended(id, 'FAILED')
      await until(
        () => available(customerId),
        (amount) => amount === SUM,
      )
    }
    expect((await waiting()).filter(({ type }: { type: string }) => type !== 'deposit.reversed')).toEqual([])
  })

  test('of a deposit that was taken back is applied once the deposit is known', async () => {
    const { customerId } = await funded()
    const depositAccountId = await depositAccountOf(customerId)
    const depositId = randomUUID()
    const early = await tell('deposit.reversed', { depositId, failure })
    expect(await waiting()).toMatchObject([{ type: 'deposit.reversed', reason: 'UNKNOWN_DEPOSIT' }])
    await tell('deposit.received', {
      depositId,
      depositAccountId,
      amount: { value: '700', currency: 'EUR' },
      receivedAt: new Date().toISOString(),
    })
    expect(await available(customerId)).toBe(SUM + 700)
    await askNow()
    await until(
      () => available(customerId),
      (amount) => amount === SUM,
    )
    expect(await waiting()).toEqual([])
    expect((await tell('deposit.reversed', { depositId, failure }, early)).status).toBe(200)
    expect(await available(customerId)).toBe(SUM)
  })

  test('of a payment that is not ours waits for a person, and moves nothing', async () => {
    const { customerId } = await funded()
    const id = `Transaction:${randomUUID()}`
    expect((await tell('payment.failed', { id, failure })).body).toEqual({ received: true })
    const [row, ...more] = await waiting()
    expect(more).toEqual([])
    expect(row).toMatchObject({ type: 'payment.failed', reason: 'UNKNOWN_PAYMENT', body: { data: { id } } })
    expect(await available(customerId)).toBe(SUM)
    const resolved = await world.client.post(`/rail-events/${row.id}/resolve`, { note: 'Not ours' })
    expect(resolved.body).toMatchObject({ status: 'RESOLVED', note: 'Not ours' })
    expect(await waiting()).toEqual([])
  })

  test('that a delivered payment failed waits and moves no money', async () => {
    const { customerId, account, other } = await funded('102')
    const { id } = await send(account.id, other)
    await ended(id, 'COMPLETED')
    expect((await tell('payment.failed', { id, failure })).status).toBe(200)
    const [row] = await waiting()
    expect(row).toMatchObject({ type: 'payment.failed', reason: 'CONTRADICTION' })
    await askNow()
    expect(await transaction(id)).toMatchObject({ status: 'COMPLETED' })
    expect(await available(customerId)).toBe(SUM - 10_000)
    await world.client.post(`/rail-events/${row.id}/resolve`, { note: 'The bank was wrong' })
  })

  test('is refused without the signature of a secret, and accepted with either of two', async () => {
    const { customerId, account, other } = await funded('105')
    const newSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    const { id } = await send(account.id, other)
    const refused = await tell('payment.failed', { id, failure }, { secrets: [newSecret] })
    expect(refused).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE' } })
    expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
    process.env[SECRET_NAME] = `${BANK_SECRET},${newSecret}`
    await world.setRails([exampleBank(world.bank.url)])
    expect((await tell('payment.accepted', { id })).status).toBe(200)
    expect((await tell('payment.failed', { id, failure }, { secrets: [newSecret] })).status).toBe(200)
    await ended(id, 'FAILED')
    expect(await available(customerId)).toBe(SUM)
  })

  test('counts for a refund too: a returned one is left to the platform', async () => {
    const { customerId, other } = await funded()
    const quote = await world.client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: other },
      destination: {
        destinationType: 'ACCOUNT',
        accountId: await newEuroAccount(world.client, customerId, '103'),
      },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 4_000,
      immediatelyExecute: true,
    })
    expect(quote.status, JSON.stringify(quote.body)).toBe(201)
    const { id, transactionId } = quote.body
    const refunded = (status: string) =>
      until(
        () => transaction(transactionId),
        ({ refund }) => refund?.status === status,
      )
    await refunded('COMPLETED')
    await world.callBank('POST', `/payments/${encodeURIComponent(id)}/return`)
    await refunded('FAILED')
    const { rows } = await world.service.app.db.query<{ posted: bigint }>(
      "SELECT posted FROM ledger_accounts WHERE name = 'refunds' AND currency = 'EUR'",
    )
    expect(rows).toEqual([{ posted: 4_000n }])
  })
})

/** The bank's name for the deposit account of this customer. */
async function depositAccountOf(customerId: string): Promise<string> {
  const { id } = await world.accountOf(customerId, 'EUR')
  const { rows } = await world.service.app.db.query<{ name: string }>(
    'SELECT rail_reference AS name FROM deposit_accounts WHERE account_id = $1',
    [uuidOf(id)],
  )
  return rows[0]!.name
}

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** The bank is closed today and tomorrow. */
async function closeTheBank(): Promise<void> {
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
  const hours = { timeZone: 'UTC', days: [...days], opensAt: '09:00', cutOff: '16:30' }
  await world.setRails([exampleBank(world.bank.url, { hours: { ...hours, holidays: [day(0), day(1)] } })])
}

/** Makes payments due that wait for the opening. */
async function openTheBank(): Promise<void> {
  await world.service.app.db.query("UPDATE rail_payments SET submit_at = created_at WHERE state = 'GIVEN'")
}

describe('the rails file', () => {
  test('a rail that was removed keeps its payments, which continue when it is back', async () => {
    const { customerId, account, other } = await funded()
    await world.callBank('PATCH', '/behaviour', { failUntilMs: FAR })
    const { id } = await send(account.id, other)
    await world.setRails([])
    await askTimes(2)
    expect((await tell('payment.failed', { id, failure })).status).toBe(404)
    expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
    expect(await available(customerId)).toBe(SUM - 10_000)
    await world.callBank('PATCH', '/behaviour', WELL)
    await world.setRails([exampleBank(world.bank.url)])
    await askedUntil(id, 'COMPLETED')
    expect(await atBank('entries', id)).toHaveLength(1)
  })

  test('outside the hours of a rail a payment waits for its opening, and shows the time', async () => {
    const { customerId, account, other } = await funded()
    await closeTheBank()
    const { id, waitsUntil } = await send(account.id, other)
    expect(waitsUntil).toBe(`${day(2)}T09:00:00.000Z`)
    await until(askNow, (jobs) => jobs > 0)
    expect(await transaction(id)).toMatchObject({ status: 'PENDING', waitsUntil })
    expect(await atBank('payments', id)).toEqual([])
    expect(await available(customerId)).toBe(SUM - 10_000)
    await openTheBank()
    await askedUntil(id, 'COMPLETED')
    expect(await atBank('entries', id)).toHaveLength(1)
  })

  test('a pull that would overflow the account is not given to the bank, and fails', async () => {
    const customerId = await world.newApproved()
    const account = await world.accountOf(customerId, 'USD')
    const other = await newBankAccount(world.client, customerId, '000')
    await closeTheBank()
    const { body, status } = await world.client.post('/transfer-in', {
      source: { accountId: other },
      destination: { accountId: account.id },
      amount: 5_000,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    // No deposits of allowed amounts would fill an account in the time of a test.
    await world.service.app.db.query('UPDATE ledger_accounts SET posted = $1 WHERE id = $2', [
      2n ** 63n - 1000n,
      uuidOf(account.id),
    ])
    await openTheBank()
    await askedUntil(body.id, 'FAILED')
    const { rows } = await world.service.app.db.query<{ state: string }>(
      'SELECT state FROM rail_payments WHERE payment_id = $1',
      [uuidOf(body.id)],
    )
    expect(rows).toEqual([{ state: 'FAILED' }])
    const { data } = await world.callBank('GET', '/pulls')
    expect(data.filter(({ id }: { id: string }) => id === body.id)).toEqual([])
  })
})

test('production has no faults on demand', async () => {
  const { client } = world
  const asked = await client.send('GET', '/config', undefined, { 'Svc-Sandbox-Fault': 'error=500' })
  expectError(asked, { code: 'INVALID_INPUT', field: 'Svc-Sandbox-Fault' })
  expect(asked.body.message).toContain('only available in the sandbox')
  const rule = await client.send('PATCH', '/config', { sandboxConfig: { faults: [{ fault: 'error=500' }] } })
  expectError(rule, { code: 'INVALID_INPUT', field: 'sandboxConfig' })
})
