import { describe, expect, test } from 'vitest'
import { EVENTS, OUTCOMES, RECORD_EFFECTS } from '../../../src/money/rails/settlement-table.ts'
import { RAIL_PAYMENT_TRANSITIONS, type RailPaymentState } from '../../../src/storage/rows/states.ts'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import {
  account,
  balancesOf,
  quoted,
  statusOf,
  to,
  transactionOf,
} from '../../worlds/records/payments.testing.ts'

const FUNDED = 100_000
const SENT = 2500
/** Payments to this account stay pending for half a minute. */
const SLOW = '005'
const SLOW_SECONDS = 30

/** A customer with money and a bank account that ends in `suffix`. */
async function ready(suffix?: string) {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  return { client, customer, bank: await newBankAccount(client, customer.id, suffix) }
}

type Ready = Awaited<ReturnType<typeof ready>>

/** A transfer out, given to the rail of the sandbox. */
async function sendPayment({ client, customer, bank }: Ready): Promise<string> {
  const begun = await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    amount: SENT,
  })
  expect(begun.status).toBe(201)
  await client.advance(0)
  return begun.body.id
}

/** Reports as a bank does, and does what that makes due. */
async function report(client: Client, type: string, paymentId: string) {
  const reply = await client.post('/sandbox/rail-events', { type, paymentId, message: 'Says the bank' })
  expect(reply.status).toBe(201)
  await client.advance(0)
  return reply.body
}

const stateOf = async (client: Client, id: string) => (await client.get(`/transactions/${id}`)).body.status

describe('a payment of the sandbox', () => {
  type Reported = Exclude<(typeof OUTCOMES)[number], 'unknown'>
  const REPORTS = OUTCOMES.filter((one): one is Reported => one !== 'unknown')
  /** The money of the payer and the status of the payment, by the state of its record. */
  const EXPECTED: Readonly<Record<Exclude<RailPaymentState, 'GIVEN'>, { status: string; balance: number }>> =
    {
      ACCEPTED: { status: 'PENDING', balance: FUNDED - SENT },
      DELIVERED: { status: 'COMPLETED', balance: FUNDED - SENT },
      FAILED: { status: 'FAILED', balance: FUNDED },
      CANCELLED: { status: 'FAILED', balance: FUNDED },
      RETURNED: { status: 'FAILED', balance: FUNDED },
    }

  test.each(REPORTS.flatMap((first) => REPORTS.map((second) => [first, second] as const)))(
    'that is reported %s and then %s has the outcome of the table, also after another poll of the rail',
    async (first, second) => {
      const place = await ready(SLOW)
      const { client, customer } = place
      const id = await sendPayment(place)
      let state: Exclude<RailPaymentState, 'GIVEN'> = 'ACCEPTED'
      for (const said of [first, second, second]) {
        const isHeld = RECORD_EFFECTS[state][said] === 'contradiction'
        expect(await report(client, `payment.${said}`, id)).toMatchObject(
          isHeld ? { status: 'WAITING', reason: 'CONTRADICTION' } : { status: 'APPLIED' },
        )
        state = RAIL_PAYMENT_TRANSITIONS[state][EVENTS[said]] ?? state
        const { status, balance } = EXPECTED[state]
        expect(await stateOf(client, id)).toBe(status)
        expect((await balancesOf(client, customer.id))[0]).toBe(balance)
      }
      await client.advance(SLOW_SECONDS)
      // A payment that no report has ended by then fails, as for every account that ends so.
      const { status, balance } = EXPECTED[state === 'ACCEPTED' ? 'FAILED' : state]
      expect(await stateOf(client, id)).toBe(status)
      expect(await balancesOf(client, customer.id)).toEqual([balance, balance])
    },
  )

  test('that a report returns is refunded, and the report counts once', async () => {
    const place = await ready()
    const { client, customer } = place
    const id = await sendPayment(place)
    expect(await stateOf(client, id)).toBe('COMPLETED')
    await Promise.all(Array.from({ length: 5 }, () => report(client, 'payment.returned', id)))
    expect((await client.get(`/transactions/${id}`)).body).toMatchObject({
      status: 'FAILED',
      counterpartyInformation: { failureDetail: 'Says the bank' },
    })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('in progress can be cancelled, as in production', async () => {
    const place = await ready(SLOW)
    const { client, customer } = place
    const id = await sendPayment(place)
    expect((await client.post(`/transactions/${id}/cancel`)).status).toBe(200)
    await client.advance(0)
    expect(await stateOf(client, id)).toBe('FAILED')
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('of a quote that is reported returned is refunded, and a pull that is taken back becomes a debt', async () => {
    const { client, customer, bank } = await ready()
    const payee = await newBankAccount(client, customer.id, '788')
    const quote = await quoted(client, account(bank), to(payee), {
      destination: { destinationType: 'ACCOUNT', accountId: payee },
    })
    await client.post(`/quotes/${quote.id}/execute`)
    await client.advance(0)
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    await report(client, 'payment.returned', quote.transactionId)
    expect(await transactionOf(client, quote)).toMatchObject({
      status: 'FAILED',
      refund: { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' },
    })
    await report(client, 'pull.returned', quote.transactionId)
    expect(await transactionOf(client, quote)).toMatchObject({
      counterpartyInformation: { fundingReturnDetail: 'Says the bank' },
    })
  })
})

test('a report about a payment that the sandbox does not know waits for a person', async () => {
  const client = await newPlatform()
  const other = await ready()
  const foreign = await sendPayment(other)
  for (const id of ['nobody', foreign])
    expect(await report(client, 'payment.returned', id)).toMatchObject({
      status: 'WAITING',
      reason: 'UNKNOWN_PAYMENT',
    })
  expect((await client.get('/rail-events')).body.data).toHaveLength(2)
  expect(await stateOf(other.client, foreign)).toBe('COMPLETED')
})
