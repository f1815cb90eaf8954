import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventSigningId } from '@countersign/contract/connectors/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildStandardHeaders, parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  BANK_SECRET,
  exampleBank,
  ibanEndingWith,
  newEuroAccount,
  openProduction,
  type Production,
  SECRET_NAME,
} from '../../worlds/production/production.testing.ts'

/** A connector between the server and the example bank, whose answers a test may change. */
interface Between {
  readonly url: string
  change: (call: string, body: Record<string, unknown>) => Record<string, unknown>
  readonly calls: string[]
  /** The bodies of payments. */
  readonly bodies: Record<string, unknown>[]
  close(): void
}

const SUM = 100_000
const SENT = 10_000
const INT64_MAX = 2n ** 63n - 1n
const PLAIN: Between['change'] = (_, body) => body
const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'Closed' }

let world: Production
let between: Between
beforeAll(async () => {
  world = await openProduction()
  between = await openBetween(world.bank.url)
  await world.setRails([exampleBank(between.url)])
})
afterEach(() => {
  between.change = PLAIN
})
afterAll(async () => {
  await world.close()
  between.close()
})

async function openBetween(bank: string): Promise<Between> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const call = `${request.method} ${request.url}`
    between.calls.push(call)
    if (call === 'POST /payments') between.bodies.push(JSON.parse(Buffer.concat(parts).toString()))
    const answer = await fetch(`${bank}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(request.method === 'POST' ? { body: Buffer.concat(parts) } : {}),
    })
    const body = (await answer.json()) as Record<string, unknown>
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.ok ? between.change(call, body) : body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    change: PLAIN,
    calls: [],
    bodies: [],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function available(customerId: string): Promise<number> {
  const { body } = await world.client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=EUR`,
  )
  return Number(body.data[0].balance.amount)
}

/** A customer with money, and a payment to an account elsewhere, whose last three digits choose what the bank does. */
async function paying(suffix: string) {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, String(SUM))
  await until(
    () => available(customerId),
    (amount) => amount === SUM,
  )
  const other = await newEuroAccount(world.client, customerId, suffix)
  // The outcome of the payment is known only from answers.
  await world.callBank('PATCH', '/behaviour', { holdEvents: true })
  const body = { source: { accountId: account.id }, destination: { accountId: other }, amount: SENT }
  const sent = await world.client.post('/transfer-out', body)
  expect(sent.status).toBe(201)
  return { customerId, other, id: sent.body.id as string }
}

const transaction = async (id: string) => (await world.client.get(`/transactions/${id}`)).body

/** Runs now what was planned for later. */
async function runNow(): Promise<void> {
  await world.service.app.db.query(
    "UPDATE jobs SET due_at = created_at WHERE due_at > created_at AND kind <> 'quote.expire'",
  )
}

const waiting = async () => (await world.client.get('/rail-events?status=WAITING&limit=100')).body.data

/** Reports an event at the door of the example bank, signed for a rail. */
async function tell(type: string, data: object, signedFor = 'example-bank') {
  const id = randomUUID()
  const body = Buffer.from(JSON.stringify({ id, type, occurredAt: new Date().toISOString(), data }))
  const secret = parseWebhookSecret(BANK_SECRET)
  if (!secret) throw new Error('A secret of the test is none')
  const answer = await fetch(`${world.service.app.origin()}/rail-events/example-bank`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...buildStandardHeaders([secret], eventSigningId(signedFor, id), body, new Date()),
    },
    body,
  })
  return { status: answer.status, body: await answer.json() }
}

describe('a response of a connector about another payment', () => {
  test.each(['FAILED', 'RETURNED', 'CANCELLED', 'DELIVERED', 'ACCEPTED'])(
    'that is %s neither ends nor refunds this one, which is polled again',
    async (status) => {
      between.change = (call, body) =>
        /^(?:POST|GET) \/payments/.test(call) ? { id: 'Transaction:another', status, failure } : body
      const { customerId, id } = await paying('102')
      const asked = () => between.calls.filter((call) => call === `GET /payments/${id}`).length
      await until(
        async () => {
          await runNow()
          return asked()
        },
        (times) => times >= 2,
      )
      expect(await transaction(id)).toMatchObject({ status: 'PENDING' })
      expect(await available(customerId)).toBe(SUM - SENT)
      between.change = PLAIN
      await until(
        async () => {
          await runNow()
          return transaction(id)
        },
        (body) => body.status === 'COMPLETED',
      )
      await world.callBank('PATCH', '/behaviour', { holdEvents: false })
      expect(await available(customerId)).toBe(SUM - SENT)
    },
  )
})

const isOfEuros: (...given: Parameters<Between['change']>) => boolean = (call, { accountType }) =>
  call === 'POST /deposit-accounts' && accountType === 'EUR_ACCOUNT'

describe('an account that a connector gives', () => {
  test.each(['depositAccountId', 'account'])(
    'to one customer is not opened for another, by its %s',
    async (part) => {
      const first = await world.newApproved()
      const taken: Record<string, unknown> = {}
      between.change = (call, body) => {
        if (isOfEuros(call, body)) Object.assign(taken, body)
        return body
      }
      await world.accountOf(first, 'EUR')
      between.change = (call, body) => (isOfEuros(call, body) ? { ...body, [part]: taken[part] } : body)
      const second = await world.newApproved()
      const { data } = (
        await world.client.get(`/customers/internal-accounts?customerId=${second}&currency=EUR`)
      ).body
      const problem = async () => {
        const { rows } = await world.service.app.db.query<{ last_error: string | null }>(
          `SELECT j.last_error FROM jobs j JOIN deposit_accounts d ON j.payload->>'depositAccountId' LIKE '%' || d.id
         WHERE j.kind = 'deposit-account.open' AND d.account_id = '${uuidOf(data[0].id)}'`,
        )
        return rows[0]?.last_error
      }
      const said = await until(problem, (text) => typeof text === 'string')
      expect(said).toContain('already belongs to InternalAccount:')
      expect(said).toContain(data[0].id)
      expect(data[0].fundingPaymentInstructions).toEqual([])
      between.change = PLAIN
      await until(
        async () => {
          await runNow()
          return world.client.get(`/customers/internal-accounts?customerId=${second}&currency=EUR`)
        },
        ({ body }) => body.data[0].fundingPaymentInstructions.length > 0,
      )
    },
  )
})

describe('the signature of an event', () => {
  test('counts only at its own rail, and names the event', async () => {
    const event = { id: `Transaction:${randomUUID()}`, failure }
    const before = (await waiting()).length
    for (const signedFor of ['another-bank', '', 'example-bank evt'])
      expect(await tell('payment.failed', event, signedFor)).toMatchObject({
        status: 401,
        body: { code: 'INVALID_SIGNATURE' },
      })
    expect(await waiting()).toHaveLength(before)
    expect((await tell('payment.failed', event)).status).toBe(200)
    expect(await waiting()).toHaveLength(before + 1)
  })

  test('cannot use a secret that two rails share: the file is refused, and the rails stay unchanged', async () => {
    const more = { name: 'another-bank', secret: { env: 'ANOTHER_BANK_SECRET' } }
    for (const secrets of [BANK_SECRET, `whsec_${Buffer.alloc(32, 3).toString('base64')},${BANK_SECRET}`]) {
      process.env.ANOTHER_BANK_SECRET = secrets
      await expect(
        world.setRails([exampleBank(between.url), exampleBank(between.url, more)]),
      ).rejects.toThrow(
        'RAILS_FILE, rail another-bank: the environment variable ANOTHER_BANK_SECRET has a secret of the rail example-bank',
      )
    }
    process.env[SECRET_NAME] = BANK_SECRET
    await world.setRails([exampleBank(between.url)])
    expect((await tell('payment.accepted', { id: `Transaction:${randomUUID()}` })).status).toBe(200)
  })
})

test('a deposit that would overflow a balance waits as a report, and is booked once it fits', async () => {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  const { rows } = await world.service.app.db.query<{ rail_reference: string; posted: bigint }>(
    `SELECT d.rail_reference, l.posted FROM deposit_accounts d
     LEFT JOIN ledger_accounts l ON l.name = 'rail:example-bank' AND l.currency = 'EUR'
     WHERE d.account_id = '${uuidOf(account.id)}'`,
  )
  const deposited = (depositId: string, depositAccountId: string | undefined, value: bigint) =>
    tell('deposit.received', {
      depositId,
      depositAccountId,
      amount: { value: String(value), currency: 'EUR' },
      receivedAt: new Date().toISOString(),
    })
  const rest = INT64_MAX - BigInt(rows[0]?.posted ?? 0) - 1n
  expect((await deposited('a fortune', 'nobody', rest)).status).toBe(200)
  expect((await deposited('a little', rows[0]?.rail_reference, 700n)).status).toBe(200)
  const isWaiting = expect.objectContaining({ type: 'deposit.received', reason: 'OUT_OF_RANGE' })
  expect(await waiting()).toContainEqual(isWaiting)
  expect(await available(customerId)).toBe(0)
  expect((await tell('deposit.reversed', { depositId: 'a fortune', failure })).status).toBe(200)
  await until(
    async () => {
      await runNow()
      return available(customerId)
    },
    (amount) => amount === 700,
  )
  expect(await waiting()).not.toContainEqual(isWaiting)
})

describe('an account that a connector reports to be different', () => {
  const iban = (suffix: string) => ibanEndingWith(suffix)
  const changesOf = async (account: string) =>
    (await world.client.get(`/account-changes?externalAccountId=${account}`)).body.data

  /** A payment that has arrived, its account, and what the bank reports about it. */
  async function delivered(suffix: string) {
    const { customerId, id, other } = await paying('000')
    await world.callBank('PATCH', '/behaviour', { holdEvents: false })
    await until(
      async () => {
        await runNow()
        return transaction(id)
      },
      (body) => body.status === 'COMPLETED',
    )
    const { accountInfo } = (await world.client.get(`/customers/external-accounts/${other}`)).body
    const data = {
      id,
      amount: { value: String(SENT), currency: 'EUR' },
      sentTo: accountInfo.iban as string,
      changes: [{ field: 'iban', value: iban(suffix) }],
    }
    return { customerId, other, data }
  }

  test('is proposed once, only for the payment, the amount and the account that it was sent', async () => {
    const { other, data } = await delivered('111')
    const isNew = new Set((await waiting()).map(({ id }: { id: string }) => id))
    for (const strange of [
      { ...data, id: 'Transaction:0193a1b2-0000-7000-8000-000000000010' },
      { ...data, isPull: true },
      { ...data, amount: { value: String(SENT + 1), currency: 'EUR' } },
      { ...data, amount: { value: String(SENT), currency: 'USD' } },
      { ...data, amount: { value: '99999999999999999999', currency: 'EUR' } },
      { ...data, sentTo: iban('222') },
      { ...data, changes: [{ field: 'iban', value: 'DE00' }] },
      { ...data, changes: [{ field: 'swiftCode', value: 'x' }] },
    ])
      expect((await tell('account.changed', strange)).status).toBeLessThan(500)
    expect((await tell('account.changed', { ...data, changes: [] })).status).toBe(400)
    expect((await tell('account.changed', data, 'another-bank')).status).toBe(401)
    expect(await changesOf(other)).toEqual([])
    const reasons = (await waiting())
      .filter(({ id }: { id: string }) => !isNew.has(id))
      .map(({ reason }: { reason: string }) => reason)
    expect(new Set(reasons)).toEqual(
      new Set(['UNKNOWN_PAYMENT', 'OTHER_AMOUNT', 'OTHER_ACCOUNT', 'CHANGE_OF_ACCOUNT']),
    )

    const replies = await Promise.all([1, 2, 3].map(() => tell('account.changed', data)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    const [pending, ...others] = await changesOf(other)
    expect(others).toEqual([])
    expect(pending).toMatchObject({ status: 'PENDING', transactionId: data.id, rail: 'example-bank' })
    expect(pending.changes).toEqual([{ field: 'iban', before: data.sentTo, after: iban('111') }])
  })

  test('is given to the connector by the next payment, and a payment made before keeps its own', async () => {
    const { customerId, other, data } = await delivered('333')
    const account = await world.accountOf(customerId, 'EUR')
    await world.callBank('PATCH', '/behaviour', { holdEvents: true })
    const send = async () => {
      const ends = { source: { accountId: account.id }, destination: { accountId: other } }
      return (await world.client.post('/transfer-out', { ...ends, amount: 1_000 })).body
    }
    const before = (await send()).id
    await tell('account.changed', data)
    expect((await send()).code).toBe('EXTERNAL_ACCOUNT_UNDER_REVIEW')
    const [{ id }] = await changesOf(other)
    const reason = { reason: 'The payee has confirmed it' }
    expect((await world.client.post(`/account-changes/${id}/apply`, reason)).body.status).toBe('APPLIED')
    const after = (await send()).id
    const paid = async (payment: string) =>
      until(
        async () => {
          await runNow()
          return between.bodies.filter((body) => body.id === payment)
        },
        (bodies) => bodies.length > 0,
      )
    const ibans = (bodies: readonly Record<string, unknown>[]) => JSON.stringify(bodies)
    expect(ibans(await paid(before))).toContain(data.sentTo)
    expect(ibans(await paid(after))).toContain(iban('333'))
    expect(ibans(await paid(before))).not.toContain(iban('333'))
    await world.callBank('PATCH', '/behaviour', { holdEvents: false })
  })
})
