import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { toEventSigningId } from '@countersign/contract/connectors/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/ports.testing.ts'
import { buildStandardHeaders, parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  BANK_SECRET,
  exampleBank,
  openProduction,
  type Production,
  SECRET_NAME,
} from '../../worlds/production/production.testing.ts'
import { buildGermanIban, newEuroAccount } from '../../worlds/records/external-accounts.testing.ts'

/** A proxy between the server and the example bank, whose responses a test may rewrite. */
interface ConnectorProxy {
  readonly url: string
  rewrite: (call: string, body: Record<string, unknown>) => Record<string, unknown>
  readonly calls: string[]
  /** The bodies of payments. */
  readonly bodies: Record<string, unknown>[]
  close(): void
}

const FUNDED = 100_000
const SENT = 10_000
const INT64_MAX = 2n ** 63n - 1n
const UNCHANGED: ConnectorProxy['rewrite'] = (_, body) => body
const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'Closed' }

let world: Production
let proxy: ConnectorProxy
beforeAll(async () => {
  world = await openProduction()
  proxy = await startProxy(world.bank.url)
  await world.setRails([exampleBank(proxy.url)])
})
afterEach(() => {
  proxy.rewrite = UNCHANGED
})
afterAll(async () => {
  await world.close()
  proxy.close()
})

async function startProxy(bank: string): Promise<ConnectorProxy> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const call = `${request.method} ${request.url}`
    proxy.calls.push(call)
    if (call === 'POST /payments') proxy.bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
    const bankResponse = await fetch(`${bank}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    })
    const body = (await bankResponse.json()) as Record<string, unknown>
    response.writeHead(bankResponse.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(bankResponse.ok ? proxy.rewrite(call, body) : body))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    rewrite: UNCHANGED,
    calls: [],
    bodies: [],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function readAvailable(customerId: string): Promise<number> {
  const { body } = await world.client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=EUR`,
  )
  return Number(body.data[0].balance.amount)
}

/** Starts a payment of a new customer. The suffix of the payee's account selects the bank's reaction. */
async function startPayment(suffix: string) {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, String(FUNDED))
  await until(
    () => readAvailable(customerId),
    (amount) => amount === FUNDED,
  )
  const payee = await newEuroAccount(world.client, customerId, suffix)
  // Without events the server learns the outcome only from responses.
  await world.callBank('PATCH', '/behaviour', { holdEvents: true })
  const body = { source: { accountId: account.id }, destination: { accountId: payee }, amount: SENT }
  const transfer = await world.client.post('/transfer-out', body)
  expect(transfer.status).toBe(201)
  return { customerId, payee, id: transfer.body.id as string }
}

/** Makes scheduled jobs due now. */
async function runNow(): Promise<void> {
  await world.service.app.db.query(
    "UPDATE jobs SET due_at = created_at WHERE due_at > created_at AND kind <> 'quote.expire'",
  )
}

/** Sends an event to the endpoint of the example bank, signed for a rail. */
async function sendReport(type: string, data: object, signedFor = 'example-bank') {
  const id = randomUUID()
  const body = Buffer.from(JSON.stringify({ id, type, occurredAt: new Date().toISOString(), data }))
  const secret = parseWebhookSecret(BANK_SECRET)
  if (!secret) throw new Error('A secret of the test is none')
  const response = await fetch(`${world.service.app.origin()}/rail-events/example-bank`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...buildStandardHeaders([secret], toEventSigningId(signedFor, id), body, new Date()),
    },
    body,
  })
  return { status: response.status, body: await response.json() }
}

describe('a response of a connector about another payment', () => {
  test.each(['FAILED', 'RETURNED', 'CANCELLED', 'DELIVERED', 'ACCEPTED'])(
    'that is %s neither ends nor refunds the requested payment, which is polled again',
    async (status) => {
      proxy.rewrite = (call, body) =>
        /^(?:POST|GET) \/payments/.test(call) ? { id: 'Transaction:another', status, failure } : body
      const { customerId, id } = await startPayment('102')
      const countPolls = () => proxy.calls.filter((call) => call === `GET /payments/${id}`).length
      await until(
        async () => {
          await runNow()
          return countPolls()
        },
        (times) => times >= 2,
      )
      expect(await world.readTransaction(id)).toMatchObject({ status: 'PENDING' })
      expect(await readAvailable(customerId)).toBe(FUNDED - SENT)
      proxy.rewrite = UNCHANGED
      await until(
        async () => {
          await runNow()
          return world.readTransaction(id)
        },
        (body) => body.status === 'COMPLETED',
      )
      await world.callBank('PATCH', '/behaviour', { holdEvents: false })
      expect(await readAvailable(customerId)).toBe(FUNDED - SENT)
    },
  )
})

const isEuroAccount: (...args: Parameters<ConnectorProxy['rewrite']>) => boolean = (call, { accountType }) =>
  call === 'POST /deposit-accounts' && accountType === 'EUR_ACCOUNT'

describe('an account that a connector has given to one customer', () => {
  test.each(['depositAccountId', 'account'])(
    'is not opened for another customer with the same %s',
    async (field) => {
      const first = await world.newApproved()
      const firstAccount: Record<string, unknown> = {}
      proxy.rewrite = (call, body) => {
        if (isEuroAccount(call, body)) Object.assign(firstAccount, body)
        return body
      }
      await world.accountOf(first, 'EUR')
      proxy.rewrite = (call, body) =>
        isEuroAccount(call, body) ? { ...body, [field]: firstAccount[field] } : body
      const second = await world.newApproved()
      const { data } = (
        await world.client.get(`/customers/internal-accounts?customerId=${second}&currency=EUR`)
      ).body
      const readLastError = async () => {
        const { rows } = await world.service.app.db.query<{ last_error: string | null }>(
          `SELECT j.last_error FROM jobs j JOIN deposit_accounts d ON j.payload->>'depositAccountId' LIKE '%' || d.id
         WHERE j.kind = 'deposit-account.open' AND d.account_id = '${extractUuid(data[0].id)}'`,
        )
        return rows[0]?.last_error
      }
      const lastError = await until(readLastError, (text) => typeof text === 'string')
      expect(lastError).toContain('already belongs to InternalAccount:')
      expect(lastError).toContain(data[0].id)
      expect(data[0].fundingPaymentInstructions).toEqual([])
      proxy.rewrite = UNCHANGED
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
  test('is valid only for its own rail and event', async () => {
    const event = { id: `Transaction:${randomUUID()}`, failure }
    const before = (await world.listWaitingReports()).length
    for (const signedFor of ['another-bank', '', 'example-bank evt'])
      expect(await sendReport('payment.failed', event, signedFor)).toMatchObject({
        status: 401,
        body: { code: 'INVALID_SIGNATURE' },
      })
    expect(await world.listWaitingReports()).toHaveLength(before)
    expect((await sendReport('payment.failed', event)).status).toBe(200)
    expect(await world.listWaitingReports()).toHaveLength(before + 1)
  })

  test('cannot use a secret that two rails share: the file is refused, and the rails stay unchanged', async () => {
    const more = { name: 'another-bank', secret: { env: 'ANOTHER_BANK_SECRET' } }
    for (const secrets of [BANK_SECRET, `whsec_${Buffer.alloc(32, 3).toString('base64')},${BANK_SECRET}`]) {
      process.env.ANOTHER_BANK_SECRET = secrets
      await expect(world.setRails([exampleBank(proxy.url), exampleBank(proxy.url, more)])).rejects.toThrow(
        'RAILS_FILE, rail another-bank: the environment variable ANOTHER_BANK_SECRET has a secret of the rail example-bank: use different secrets for each rail.',
      )
    }
    process.env[SECRET_NAME] = BANK_SECRET
    await world.setRails([exampleBank(proxy.url)])
    expect((await sendReport('payment.accepted', { id: `Transaction:${randomUUID()}` })).status).toBe(200)
  })
})

test('a deposit that would overflow a balance waits as a report, and is booked once it fits', async () => {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  const { rows } = await world.service.app.db.query<{ rail_reference: string; posted: bigint }>(
    `SELECT d.rail_reference, l.posted FROM deposit_accounts d
     LEFT JOIN ledger_accounts l ON l.name = 'rail:example-bank' AND l.currency = 'EUR'
     WHERE d.account_id = '${extractUuid(account.id)}'`,
  )
  const reportDeposit = (depositId: string, depositAccountId: string | undefined, value: bigint) =>
    sendReport('deposit.received', {
      depositId,
      depositAccountId,
      amount: { value: String(value), currency: 'EUR' },
      receivedAt: new Date().toISOString(),
    })
  const remaining = INT64_MAX - BigInt(rows[0]?.posted ?? 0) - 1n
  expect((await reportDeposit('a fortune', 'nobody', remaining)).status).toBe(200)
  expect((await reportDeposit('a little', rows[0]?.rail_reference, 700n)).status).toBe(200)
  const isWaiting = expect.objectContaining({ type: 'deposit.received', reason: 'OUT_OF_RANGE' })
  expect(await world.listWaitingReports()).toContainEqual(isWaiting)
  expect(await readAvailable(customerId)).toBe(0)
  expect((await sendReport('deposit.reversed', { depositId: 'a fortune', failure })).status).toBe(200)
  await until(
    async () => {
      await runNow()
      return readAvailable(customerId)
    },
    (amount) => amount === 700,
  )
  expect(await world.listWaitingReports()).not.toContainEqual(isWaiting)
})

describe('an account change that a connector reports', () => {
  const listChanges = async (account: string) =>
    (await world.client.get(`/account-changes?externalAccountId=${account}`)).body.data

  /** Delivers a payment. Returns its account and the change that the bank reports. */
  async function deliverPayment(suffix: string) {
    const { customerId, id, payee } = await startPayment('000')
    await world.callBank('PATCH', '/behaviour', { holdEvents: false })
    await until(
      async () => {
        await runNow()
        return world.readTransaction(id)
      },
      (body) => body.status === 'COMPLETED',
    )
    const { accountInfo } = (await world.client.get(`/customers/external-accounts/${payee}`)).body
    const data = {
      id,
      amount: { value: String(SENT), currency: 'EUR' },
      sentTo: accountInfo.iban as string,
      changes: [{ field: 'iban', value: buildGermanIban(suffix) }],
    }
    return { customerId, payee, data }
  }

  test('is proposed once, and only if the payment, the amount and the account match', async () => {
    const { payee, data } = await deliverPayment('111')
    const earlierIds = new Set((await world.listWaitingReports()).map(({ id }: { id: string }) => id))
    for (const mismatched of [
      { ...data, id: 'Transaction:0193a1b2-0000-7000-8000-000000000010' },
      { ...data, isPull: true },
      { ...data, amount: { value: String(SENT + 1), currency: 'EUR' } },
      { ...data, amount: { value: String(SENT), currency: 'USD' } },
      { ...data, amount: { value: '99999999999999999999', currency: 'EUR' } },
      { ...data, sentTo: buildGermanIban('222') },
      { ...data, changes: [{ field: 'iban', value: 'DE00' }] },
      { ...data, changes: [{ field: 'swiftCode', value: 'x' }] },
    ])
      expect((await sendReport('account.changed', mismatched)).status).toBeLessThan(500)
    expect((await sendReport('account.changed', { ...data, changes: [] })).status).toBe(400)
    expect((await sendReport('account.changed', data, 'another-bank')).status).toBe(401)
    expect(await listChanges(payee)).toEqual([])
    const reasons = (await world.listWaitingReports())
      .filter(({ id }: { id: string }) => !earlierIds.has(id))
      .map(({ reason }: { reason: string }) => reason)
    expect(new Set(reasons)).toEqual(
      new Set(['UNKNOWN_PAYMENT', 'OTHER_AMOUNT', 'OTHER_ACCOUNT', 'CHANGE_OF_ACCOUNT']),
    )

    const replies = await Promise.all([1, 2, 3].map(() => sendReport('account.changed', data)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    const [pending, ...others] = await listChanges(payee)
    expect(others).toEqual([])
    expect(pending).toMatchObject({ status: 'PENDING', transactionId: data.id, rail: 'example-bank' })
    expect(pending.changes).toEqual([{ field: 'iban', before: data.sentTo, after: buildGermanIban('111') }])
  })

  test('is used by the next payment, and an earlier payment keeps the previous account', async () => {
    const { customerId, payee, data } = await deliverPayment('333')
    const account = await world.accountOf(customerId, 'EUR')
    await world.callBank('PATCH', '/behaviour', { holdEvents: true })
    const send = async () => {
      const accounts = { source: { accountId: account.id }, destination: { accountId: payee } }
      return (await world.client.post('/transfer-out', { ...accounts, amount: 1_000 })).body
    }
    const before = (await send()).id
    await sendReport('account.changed', data)
    expect((await send()).code).toBe('EXTERNAL_ACCOUNT_UNDER_REVIEW')
    const [{ id }] = await listChanges(payee)
    const reason = { reason: 'The payee has confirmed it' }
    expect((await world.client.post(`/account-changes/${id}/apply`, reason)).body.status).toBe('APPLIED')
    const after = (await send()).id
    const waitForBodies = async (payment: string) =>
      until(
        async () => {
          await runNow()
          return proxy.bodies.filter((body) => body.id === payment)
        },
        (bodies) => bodies.length > 0,
      )
    const toText = (bodies: readonly Record<string, unknown>[]) => JSON.stringify(bodies)
    expect(toText(await waitForBodies(before))).toContain(data.sentTo)
    expect(toText(await waitForBodies(after))).toContain(buildGermanIban('333'))
    expect(toText(await waitForBodies(before))).not.toContain(buildGermanIban('333'))
    await world.callBank('PATCH', '/behaviour', { holdEvents: false })
  })
})
