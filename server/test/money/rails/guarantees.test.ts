import { randomUUID } from 'node:crypto'
import { toEventSigningId } from '@countersign/contract/connectors/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildStandardHeaders, parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { newBankAccount, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  BANK_SECRET,
  exampleBank,
  openProduction,
  type Production,
  SECRET_NAME,
} from '../../worlds/production/production.testing.ts'
import { newEuroAccount } from '../../worlds/records/external-accounts.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction()
})
afterEach(async () => {
  process.env[SECRET_NAME] = BANK_SECRET
  await world.setRails([exampleBank(world.bank.url)])
  await world.callBank('PATCH', '/behaviour', HEALTHY)
})
afterAll(() => world.close())

const HEALTHY = { failUntilMs: 0, answerDelayMs: 0, dropAnswers: 0, dropRequests: 0, holdEvents: false }
const FAR_FUTURE_MS = 8_000_000_000_000_000
const FUNDED = 100_000

/** A customer with money, and an external account whose last three digits choose the bank's behavior. */
async function newFundedCustomer(suffix = '000') {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, String(FUNDED))
  await until(
    () => readAvailable(customerId),
    (amount) => amount === FUNDED,
  )
  return { customerId, account, payee: await newEuroAccount(world.client, customerId, suffix) }
}

async function readAvailable(customerId: string): Promise<number> {
  const { body } = await world.client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=EUR`,
  )
  return Number(body.data[0].balance.amount)
}

async function send(account: string, payee: string, amount = 10_000) {
  const body = { source: { accountId: account }, destination: { accountId: payee }, amount }
  const transfer = await world.client.post('/transfer-out', body)
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  return transfer.body
}

/** Makes scheduled jobs due now, and returns their number. */
async function runJobsNow(): Promise<number> {
  const { rows } = await world.service.app.db.query(
    `UPDATE jobs SET due_at = created_at WHERE due_at > created_at AND kind <> 'quote.expire' RETURNING id`,
  )
  world.service.app.wakeJobs()
  return rows.length
}

/** Polls the rail until a payment has ended. */
const pollUntil = (id: string, status: string) =>
  until(
    async () => {
      await runJobsNow()
      return world.readTransaction(id)
    },
    (body) => body.status === status,
  )

/** Polls the rail this often. The payment stays unknown, so that it is polled again. */
async function pollRail(times: number): Promise<void> {
  for (let polls = 0; polls < times; polls++) await until(runJobsNow, (jobs) => jobs > 0)
}

/** The bank's payments or entries with this id. */
async function listAtBank(what: 'payments' | 'entries', id: string) {
  return (await world.callBank('GET', `/${what}`)).data.filter((one: { id?: string }) => one.id === id)
}

/** Sends an event as a bank would, signed by a secret. */
async function sendReport(type: string, data: object, { id = randomUUID(), secrets = [BANK_SECRET] } = {}) {
  const body = JSON.stringify({ id, type, occurredAt: new Date().toISOString(), data })
  const keys = secrets.map((secret) => parseWebhookSecret(secret)!)
  const response = await fetch(`${world.service.app.origin()}/rail-events/example-bank`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...buildStandardHeaders(keys, toEventSigningId('example-bank', id), Buffer.from(body), new Date()),
    },
    body,
  })
  return { id, status: response.status, body: await response.json() }
}

const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'It has come back' }

describe('a payment whose outcome is unknown', () => {
  test('is polled if the bank returns 503, and its money is not returned', async () => {
    const { customerId, account, payee } = await newFundedCustomer()
    await world.callBank('PATCH', '/behaviour', { failUntilMs: FAR_FUTURE_MS })
    const { id } = await send(account.id, payee)
    await pollRail(3)
    expect(await world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    expect(await readAvailable(customerId)).toBe(FUNDED - 10_000)
    expect(await listAtBank('payments', id)).toEqual([])
    await world.callBank('PATCH', '/behaviour', HEALTHY)
    await pollUntil(id, 'COMPLETED')
    expect(await listAtBank('entries', id)).toHaveLength(1)
  })

  test('is found by polling if the response of the bank was lost', async () => {
    const { account, payee } = await newFundedCustomer('102')
    await world.callBank('PATCH', '/behaviour', { dropAnswers: 3, holdEvents: true })
    const { id } = await send(account.id, payee)
    await pollUntil(id, 'COMPLETED')
    expect(await listAtBank('payments', id)).toHaveLength(1)
    expect(await listAtBank('entries', id)).toHaveLength(1)
  })

  test('is sent again, under the same id, if it never arrived', async () => {
    const { account, payee } = await newFundedCustomer()
    await world.callBank('PATCH', '/behaviour', { dropRequests: 3 })
    const { id } = await send(account.id, payee)
    await pollUntil(id, 'COMPLETED')
    expect(await listAtBank('payments', id)).toHaveLength(1)
  })

  test('is polled after a timeout', async () => {
    await world.setRails([exampleBank(world.bank.url, { timeoutSeconds: 1 })])
    const { customerId, account, payee } = await newFundedCustomer('102')
    await world.callBank('PATCH', '/behaviour', { answerDelayMs: 1500, holdEvents: true })
    const { id } = await send(account.id, payee)
    await until(
      () => listAtBank('payments', id),
      ({ length }) => length === 1,
    )
    expect(await world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    await until(runJobsNow, (jobs) => jobs > 0)
    expect(await readAvailable(customerId)).toBe(FUNDED - 10_000)
    await world.callBank('PATCH', '/behaviour', HEALTHY)
    await pollUntil(id, 'COMPLETED')
    expect(await listAtBank('entries', id)).toHaveLength(1)
  })
})

describe('a report of a bank', () => {
  test('takes effect once, for any number of sequential and parallel repeats', {
    tags: 'smoke',
  }, async () => {
    const { customerId, account, payee } = await newFundedCustomer('105')
    const { id } = await send(account.id, payee)
    const event = { id: randomUUID() }
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => sendReport('payment.returned', { id, failure }, event)),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect((await world.waitForStatus(id, 'FAILED')).settledAt).toBeUndefined()
    expect(await readAvailable(customerId)).toBe(FUNDED)
    const events = await world.client.events(`&objectId=${id}`)
    expect(events.map(({ type }) => type)).toEqual(['OUTGOING_PAYMENT.PENDING', 'OUTGOING_PAYMENT.FAILED'])
  })

  test('has the same result in any order', async () => {
    const { customerId, account, payee } = await newFundedCustomer('105')
    const reports = [
      ['payment.accepted', {}],
      ['payment.delivered', {}],
      ['payment.returned', { failure }],
    ] as const
    for (const order of ['012', '021', '102', '120', '201', '210']) {
      const { id } = await send(account.id, payee)
      for (const n of order) {
        const [type, more] = reports[Number(n)]!
        expect((await sendReport(type, { id, ...more })).status).toBe(200)
      }
      await world.waitForStatus(id, 'FAILED')
      await until(
        () => readAvailable(customerId),
        (amount) => amount === FUNDED,
      )
    }
    expect(
      (await world.listWaitingReports()).filter(({ type }: { type: string }) => type !== 'deposit.reversed'),
    ).toEqual([])
  })

  test('of a reversed deposit is applied once the deposit is known', async () => {
    const { customerId } = await newFundedCustomer()
    const depositAccountId = await findDepositAccount(customerId)
    const depositId = randomUUID()
    const early = await sendReport('deposit.reversed', { depositId, failure })
    expect(await world.listWaitingReports()).toMatchObject([
      { type: 'deposit.reversed', reason: 'UNKNOWN_DEPOSIT' },
    ])
    await sendReport('deposit.received', {
      depositId,
      depositAccountId,
      amount: { value: '700', currency: 'EUR' },
      receivedAt: new Date().toISOString(),
    })
    expect(await readAvailable(customerId)).toBe(FUNDED + 700)
    await runJobsNow()
    await until(
      () => readAvailable(customerId),
      (amount) => amount === FUNDED,
    )
    expect(await world.listWaitingReports()).toEqual([])
    expect((await sendReport('deposit.reversed', { depositId, failure }, early)).status).toBe(200)
    expect(await readAvailable(customerId)).toBe(FUNDED)
  })

  test('of an unknown payment waits for a person, and moves no money', async () => {
    const { customerId } = await newFundedCustomer()
    const id = `Transaction:${randomUUID()}`
    expect((await sendReport('payment.failed', { id, failure })).body).toEqual({ received: true })
    const [row, ...more] = await world.listWaitingReports()
    expect(more).toEqual([])
    expect(row).toMatchObject({ type: 'payment.failed', reason: 'UNKNOWN_PAYMENT', body: { data: { id } } })
    expect(await readAvailable(customerId)).toBe(FUNDED)
    const resolved = await world.client.post(`/rail-events/${row.id}/resolve`, { note: 'Not ours' })
    expect(resolved.body).toMatchObject({ status: 'RESOLVED', note: 'Not ours' })
    expect(await world.listWaitingReports()).toEqual([])
  })

  test('that a delivered payment failed waits and moves no money', async () => {
    const { customerId, account, payee } = await newFundedCustomer('102')
    const { id } = await send(account.id, payee)
    await world.waitForStatus(id, 'COMPLETED')
    expect((await sendReport('payment.failed', { id, failure })).status).toBe(200)
    const [row] = await world.listWaitingReports()
    expect(row).toMatchObject({ type: 'payment.failed', reason: 'CONTRADICTION' })
    await runJobsNow()
    expect(await world.readTransaction(id)).toMatchObject({ status: 'COMPLETED' })
    expect(await readAvailable(customerId)).toBe(FUNDED - 10_000)
    await world.client.post(`/rail-events/${row.id}/resolve`, { note: 'The bank was wrong' })
  })

  test('is refused without the signature of a secret, and accepted with either of two', async () => {
    const { customerId, account, payee } = await newFundedCustomer('105')
    const newSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    const { id } = await send(account.id, payee)
    const refused = await sendReport('payment.failed', { id, failure }, { secrets: [newSecret] })
    expect(refused).toMatchObject({ status: 401, body: { code: 'INVALID_SIGNATURE' } })
    expect(await world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    process.env[SECRET_NAME] = `${BANK_SECRET},${newSecret}`
    await world.setRails([exampleBank(world.bank.url)])
    expect((await sendReport('payment.accepted', { id })).status).toBe(200)
    expect((await sendReport('payment.failed', { id, failure }, { secrets: [newSecret] })).status).toBe(200)
    await world.waitForStatus(id, 'FAILED')
    expect(await readAvailable(customerId)).toBe(FUNDED)
  })

  test('also applies to a refund: the money of a returned refund stays with the platform', async () => {
    const { customerId, payee } = await newFundedCustomer()
    const quote = await world.client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: payee },
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
    const waitForRefund = (status: string) =>
      until(
        () => world.readTransaction(transactionId),
        ({ refund }) => refund?.status === status,
      )
    await waitForRefund('COMPLETED')
    await world.callBank('POST', `/payments/${encodeURIComponent(id)}/return`)
    await waitForRefund('FAILED')
    const { rows } = await world.service.app.db.query<{ posted: bigint }>(
      "SELECT posted FROM ledger_accounts WHERE name = 'refunds' AND currency = 'EUR'",
    )
    expect(rows).toEqual([{ posted: 4_000n }])
  })
})

/** The bank's name for the deposit account of this customer. */
async function findDepositAccount(customerId: string): Promise<string> {
  const { id } = await world.accountOf(customerId, 'EUR')
  const { rows } = await world.service.app.db.query<{ name: string }>(
    'SELECT rail_reference AS name FROM deposit_accounts WHERE account_id = $1',
    [extractUuid(id)],
  )
  return rows[0]!.name
}

const formatDay = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Closes the bank today and tomorrow. Returns the time at which it opens again. */
async function closeBank(): Promise<string> {
  const [today, tomorrow, dayAfter] = [formatDay(0), formatDay(1), formatDay(2)]
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
  const hours = { timeZone: 'UTC', days: [...days], opensAt: '09:00', cutOff: '16:30' }
  await world.setRails([exampleBank(world.bank.url, { hours: { ...hours, holidays: [today, tomorrow] } })])
  return `${dayAfter}T09:00:00.000Z`
}

/** Makes the payments due that wait for the bank to open. */
async function openBank(): Promise<void> {
  await world.service.app.db.query("UPDATE rail_payments SET submit_at = created_at WHERE state = 'GIVEN'")
}

describe('with a changed rails file', () => {
  test('a removed rail keeps its payments, which continue once it is configured again', async () => {
    const { customerId, account, payee } = await newFundedCustomer()
    await world.callBank('PATCH', '/behaviour', { failUntilMs: FAR_FUTURE_MS })
    const { id } = await send(account.id, payee)
    await world.setRails([])
    await pollRail(2)
    expect((await sendReport('payment.failed', { id, failure })).status).toBe(404)
    expect(await world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
    expect(await readAvailable(customerId)).toBe(FUNDED - 10_000)
    await world.callBank('PATCH', '/behaviour', HEALTHY)
    await world.setRails([exampleBank(world.bank.url)])
    await pollUntil(id, 'COMPLETED')
    expect(await listAtBank('entries', id)).toHaveLength(1)
  })

  test('outside the hours of a rail a payment waits for its opening, and shows the time', async () => {
    const { customerId, account, payee } = await newFundedCustomer()
    const opensAt = await closeBank()
    const { id, waitsUntil } = await send(account.id, payee)
    expect(waitsUntil).toBe(opensAt)
    await until(runJobsNow, (jobs) => jobs > 0)
    expect(await world.readTransaction(id)).toMatchObject({ status: 'PENDING', waitsUntil })
    expect(await listAtBank('payments', id)).toEqual([])
    expect(await readAvailable(customerId)).toBe(FUNDED - 10_000)
    await openBank()
    await pollUntil(id, 'COMPLETED')
    expect(await listAtBank('entries', id)).toHaveLength(1)
  })

  test('a pull that would overflow the account is not sent to the bank, and fails', async () => {
    const customerId = await world.newApproved()
    const account = await world.accountOf(customerId, 'USD')
    const payee = await newBankAccount(world.client, customerId, '000')
    await closeBank()
    const { body, status } = await world.client.post('/transfer-in', {
      source: { accountId: payee },
      destination: { accountId: account.id },
      amount: 5_000,
    })
    expect(status, JSON.stringify(body)).toBe(201)
    // Deposits of allowed amounts could not fill an account within the time of a test.
    await world.service.app.db.query('UPDATE ledger_accounts SET posted = $1 WHERE id = $2', [
      2n ** 63n - 1000n,
      extractUuid(account.id),
    ])
    await openBank()
    await pollUntil(body.id, 'FAILED')
    const { rows } = await world.service.app.db.query<{ state: string }>(
      'SELECT state FROM rail_payments WHERE payment_id = $1',
      [extractUuid(body.id)],
    )
    expect(rows).toEqual([{ state: 'FAILED' }])
    const { data } = await world.callBank('GET', '/pulls')
    expect(data.filter(({ id }: { id: string }) => id === body.id)).toEqual([])
  })
})

test('production refuses faults on demand', async () => {
  const { client } = world
  const refused = await client.send('GET', '/config', undefined, { 'Svc-Sandbox-Fault': 'error=500' })
  expectError(refused, { code: 'INVALID_INPUT', field: 'Svc-Sandbox-Fault' })
  expect(refused.body.message).toContain('only available in the sandbox')
  const rule = await client.send('PATCH', '/config', { sandboxConfig: { faults: [{ fault: 'error=500' }] } })
  expectError(rule, { code: 'INVALID_INPUT', field: 'sandboxConfig' })
})
