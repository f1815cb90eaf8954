import { describe, expect, test } from 'vitest'
import { EVENTS, OUTCOMES, RECORD_EFFECTS } from '../../../src/money/rails/settlement-table.ts'
import { RAIL_PAYMENT_TRANSITIONS, type RailPaymentState } from '../../../src/storage/rows/states.ts'
import { type Client, newBankAccount, newPlatform } from '../../worlds/client.testing.ts'
import {
  account,
  balancesOf,
  FUNDED,
  quoted,
  readQuoteTransaction,
  ready,
  statusOf,
  to,
} from '../../worlds/records/payments.testing.ts'

const SENT = 2500
/** Payments to this account stay pending for half a minute. */
const SLOW = '005'
const SLOW_SECONDS = 30

type Sender = Awaited<ReturnType<typeof ready>>

/** Makes a transfer out, and submits it to the sandbox rail. */
async function sendPayment({ client, customer, bank }: Sender): Promise<string> {
  const transfer = await client.post('/transfer-out', {
    source: { accountId: customer.usd },
    destination: { accountId: bank },
    amount: SENT,
  })
  expect(transfer.status).toBe(201)
  await client.advance(0)
  return transfer.body.id
}

/** Sends a report as a bank does, then runs the jobs that become due. */
async function report(client: Client, type: string, paymentId: string) {
  const reply = await client.post('/sandbox/rail-events', { type, paymentId, message: 'Says the bank' })
  expect(reply.status).toBe(201)
  await client.advance(0)
  return reply.body
}

const readPaymentStatus = async (client: Client, id: string) =>
  (await client.get(`/transactions/${id}`)).body.status

describe('a sandbox payment', () => {
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
    'that is reported %s and then %s has the outcome of the settlement table, even after another poll',
    async (first, second) => {
      const sender = await ready(SLOW)
      const { client, customer } = sender
      const id = await sendPayment(sender)
      let state: Exclude<RailPaymentState, 'GIVEN'> = 'ACCEPTED'
      for (const outcome of [first, second, second]) {
        const isHeld = RECORD_EFFECTS[state][outcome] === 'contradiction'
        expect(await report(client, `payment.${outcome}`, id)).toMatchObject(
          isHeld ? { status: 'WAITING', reason: 'CONTRADICTION' } : { status: 'APPLIED' },
        )
        state = RAIL_PAYMENT_TRANSITIONS[state][EVENTS[outcome]] ?? state
        const { status, balance } = EXPECTED[state]
        expect(await readPaymentStatus(client, id)).toBe(status)
        expect((await balancesOf(client, customer.id))[0]).toBe(balance)
      }
      await client.advance(SLOW_SECONDS)
      // A payment that no report has ended by then fails, as the suffix of its account selects.
      const { status, balance } = EXPECTED[state === 'ACCEPTED' ? 'FAILED' : state]
      expect(await readPaymentStatus(client, id)).toBe(status)
      expect(await balancesOf(client, customer.id)).toEqual([balance, balance])
    },
  )

  test('that is reported returned is refunded, and repeated reports count once', async () => {
    const sender = await ready()
    const { client, customer } = sender
    const id = await sendPayment(sender)
    expect(await readPaymentStatus(client, id)).toBe('COMPLETED')
    await Promise.all(Array.from({ length: 5 }, () => report(client, 'payment.returned', id)))
    expect((await client.get(`/transactions/${id}`)).body).toMatchObject({
      status: 'FAILED',
      counterpartyInformation: { failureDetail: 'Says the bank' },
    })
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('that is in progress can be cancelled, as in production', async () => {
    const sender = await ready(SLOW)
    const { client, customer } = sender
    const id = await sendPayment(sender)
    expect((await client.post(`/transactions/${id}/cancel`)).status).toBe(200)
    await client.advance(0)
    expect(await readPaymentStatus(client, id)).toBe('FAILED')
    expect(await balancesOf(client, customer.id)).toEqual([FUNDED, FUNDED])
  })

  test('of a quote is refunded if it is reported returned, and shows a returned pull', async () => {
    const { client, customer, bank } = await ready()
    const payee = await newBankAccount(client, customer.id, '788')
    const quote = await quoted(client, account(bank), to(payee), {
      destination: { destinationType: 'ACCOUNT', accountId: payee },
    })
    await client.post(`/quotes/${quote.id}/execute`)
    await client.advance(0)
    expect(await statusOf(client, quote)).toBe('COMPLETED')
    await report(client, 'payment.returned', quote.transactionId)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      status: 'FAILED',
      refund: { status: 'COMPLETED', reason: 'TRANSACTION_FAILED' },
    })
    await report(client, 'pull.returned', quote.transactionId)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({
      counterpartyInformation: { fundingReturnDetail: 'Says the bank' },
    })
  })
})

test('a report about a payment that the sandbox does not know waits for a person', async () => {
  const client = await newPlatform()
  const otherSender = await ready()
  const foreignPayment = await sendPayment(otherSender)
  for (const id of ['nobody', foreignPayment])
    expect(await report(client, 'payment.returned', id)).toMatchObject({
      status: 'WAITING',
      reason: 'UNKNOWN_PAYMENT',
    })
  expect((await client.get('/rail-events')).body.data).toHaveLength(2)
  expect(await readPaymentStatus(otherSender.client, foreignPayment)).toBe('COMPLETED')
})
