import { describe, expect, test } from 'vitest'
import type { Client } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  decide,
  decided,
  decision,
  report,
  SENT,
  stateOf,
  type WaitingPayment,
  waitingPayment,
} from '../../worlds/records/payments.testing.ts'

const CHARGE = 300
const chargeField = { charge: { amount: CHARGE, currency: 'USD' } }

/** Decides a payment, and then lets its bank report it. */
async function decideThenReport(outcome: string, extra: object, reportType: string) {
  const payment = await waitingPayment()
  const { client, id } = payment
  const { decision: first } = await decided(client, id, decision(outcome, { ...extra }))
  const before = await stateOf(payment)
  const event = await report(client, `payment.${reportType}`, id)
  return { payment, first, before, event, after: await stateOf(payment) }
}

const listWaitingReports = async (client: Client) =>
  (await client.get('/rail-events?status=WAITING')).body.data

const decideAgain = (payment: WaitingPayment, railEventId: string, outcome: string, extra: object = {}) =>
  decided(payment.client, payment.id, decision(outcome, { railEventId, reason: 'Looked again', ...extra }))

describe('a report after a decision', () => {
  test.each([
    ['DELIVERED', {}, 'delivered'],
    ['DELIVERED', chargeField, 'delivered'],
    ['DELIVERED', {}, 'accepted'],
    ['FAILED', {}, 'failed'],
    ['FAILED', {}, 'cancelled'],
    ['FAILED', {}, 'accepted'],
    ['RETURNED', {}, 'returned'],
    ['RETURNED', chargeField, 'returned'],
    ['RETURNED', {}, 'failed'],
  ])(
    'that agrees with %s %j by saying %s is recorded and moves no money',
    async (outcome, extra, reportType) => {
      const { payment, before, event, after } = await decideThenReport(outcome, extra, reportType)
      expect(event.status).toBe('APPLIED')
      expect(after).toEqual(before)
      expect(await listWaitingReports(payment.client)).toEqual([])
    },
  )

  test.each([
    ['DELIVERED', {}, 'failed'],
    ['DELIVERED', {}, 'cancelled'],
    ['FAILED', {}, 'delivered'],
    ['FAILED', {}, 'returned'],
    ['RETURNED', {}, 'delivered'],
    ['RETURNED', chargeField, 'failed'],
  ])(
    'that contradicts %s %j by saying %s waits, shows both, and moves no money',
    async (outcome, extra, reportType) => {
      const { payment, first, before, event, after } = await decideThenReport(outcome, extra, reportType)
      expect(event).toMatchObject({ status: 'WAITING', reason: 'CONTRADICTION' })
      expect(after).toEqual(before)
      expect(await listWaitingReports(payment.client)).toMatchObject([
        { id: event.id, type: `payment.${reportType}`, body: { decision: { id: first.id, outcome } } },
      ])
    },
  )

  test('that returns money decided as delivered refunds it, as after any delivery', async () => {
    const { payment, event, after } = await decideThenReport('DELIVERED', {}, 'returned')
    expect(event.status).toBe('APPLIED')
    expect(after).toEqual({ status: 'FAILED', payer: [0, 0], rail: 0, books: {} })
    expectError(await decide(payment.client, payment.id, decision('DELIVERED')), {
      code: 'INVALID_STATE_TRANSITION',
    })
  })
})

describe('a second decision, because of a report that contradicts the first', () => {
  test('may confirm the first, which resolves the report with its reason', async () => {
    const { payment, before, event } = await decideThenReport('FAILED', {}, 'delivered')
    const { client, id } = payment
    const { decision: second } = await decideAgain(payment, event.id, 'FAILED')
    expect(second).toMatchObject({ outcome: 'FAILED', railEventId: event.id, reason: 'Looked again' })
    expect(await stateOf(payment)).toEqual(before)
    const { data } = (await client.get('/rail-events')).body
    expect(data).toMatchObject([{ id: event.id, status: 'RESOLVED', note: 'Looked again' }])
    expect((await client.get(`/transactions/${id}/decisions`)).body.totalCount).toBe(2)
  })

  test('returns money that was decided as delivered by mistake, and books the charge', async () => {
    const { payment, event } = await decideThenReport('DELIVERED', {}, 'failed')
    expectError(await decide(payment.client, payment.id, decision('FAILED', { railEventId: event.id })), {
      code: 'INVALID_STATE_TRANSITION',
      field: 'outcome',
    })
    await decideAgain(payment, event.id, 'RETURNED', chargeField)
    expect(await stateOf(payment)).toEqual({
      ...{ status: 'FAILED', payer: [0, 0], rail: -CHARGE, books: { costs: CHARGE } },
    })
    // The rail had not reported a delivery before, so this report contradicts the decision.
    expect((await report(payment.client, 'payment.delivered', payment.id)).status).toBe('WAITING')
  })

  test('books money that payer and payee both have as owed to the platform, and does not debit the payer', async () => {
    const { payment, event } = await decideThenReport('RETURNED', chargeField, 'delivered')
    await decideAgain(payment, event.id, 'DELIVERED')
    const owedState = { status: 'FAILED', payer: [0, 0], rail: -SENT, books: { receivables: SENT } }
    expect(await stateOf(payment)).toEqual(owedState)
    expect((await report(payment.client, 'payment.delivered', payment.id)).status).toBe('APPLIED')
    const returnReport = await report(payment.client, 'payment.returned', payment.id)
    expect(returnReport.status).toBe('WAITING')
    expect(await stateOf(payment)).toEqual(owedState)
    await decideAgain(payment, returnReport.id, 'RETURNED', chargeField)
    expect(await stateOf(payment)).toEqual({
      ...{ status: 'FAILED', payer: [0, 0], rail: -CHARGE, books: { costs: CHARGE } },
    })
  })

  test('counts only once for each report, even with twenty in parallel', async () => {
    const { payment, event } = await decideThenReport('FAILED', {}, 'delivered')
    const { client, id } = payment
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        decide(client, id, decision(index % 2 ? 'DELIVERED' : 'FAILED', { railEventId: event.id })),
      ),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of replies)
      if (status !== 200)
        expect([body.code, body.details.field]).toEqual(['INVALID_STATE_TRANSITION', 'railEventId'])
    await client.advance(0)
    const { data } = (await client.get(`/transactions/${id}/decisions`)).body
    expect(data).toHaveLength(2)
    const books = data[0].outcome === 'DELIVERED' ? { receivables: SENT } : {}
    expect((await stateOf(payment)).books).toEqual(books)
  })

  test('requires a waiting report about this payment', async () => {
    const { payment, event } = await decideThenReport('FAILED', {}, 'delivered')
    const { client, customer, bank, id } = payment
    const otherPayment = await client.post('/transfer-out', {
      source: { accountId: customer.usd },
      destination: { accountId: bank },
      amount: SENT,
    })
    await client.advance(0)
    const otherDecision = decision('DELIVERED', { railEventId: event.id })
    expectError(await decide(client, otherPayment.body.id, otherDecision), {
      code: 'INVALID_INPUT',
      field: 'railEventId',
    })
    await client.post(`/rail-events/${event.id}/resolve`, { note: 'Seen' })
    expectError(await decide(client, id, otherDecision), {
      code: 'INVALID_STATE_TRANSITION',
      field: 'railEventId',
    })
  })

  test('resolves a contradiction between two reports of a rail', async () => {
    const payment = await waitingPayment()
    await report(payment.client, 'payment.failed', payment.id)
    const event = await report(payment.client, 'payment.delivered', payment.id)
    expect(event.status).toBe('WAITING')
    await decideAgain(payment, event.id, 'DELIVERED', chargeField)
    expect(await stateOf(payment)).toEqual({
      status: 'FAILED',
      payer: [0, 0],
      rail: -SENT - CHARGE,
      books: { receivables: SENT, costs: CHARGE },
    })
  })
})
