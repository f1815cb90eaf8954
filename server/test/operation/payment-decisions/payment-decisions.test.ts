import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  decide,
  decided,
  decision,
  eventsOf,
  noId,
  report,
  SENT,
  SLOW_SECONDS,
  stateOf,
  statusOfPayment,
  type WaitingPayment,
  waitingPayment,
} from '../../worlds/records/payments.testing.ts'

const CHARGE = 300
const charged = { charge: { amount: CHARGE, currency: 'USD' } }

const decisionsOf = async (client: Client, id: string) =>
  (await client.get(`/transactions/${id}/decisions`)).body.data

/** The state of a payment that the payee has, and of one that the payer has again. */
const PAID = { status: 'COMPLETED', payer: [-SENT, -SENT], rail: -SENT, books: {} }
const BACK = { status: 'FAILED', payer: [0, 0], rail: 0, books: {} }

describe('a payment that its rail has not ended', () => {
  test.each([
    ['DELIVERED', {}, PAID],
    ['DELIVERED', charged, { ...PAID, rail: -SENT - CHARGE, books: { costs: CHARGE } }],
    ['FAILED', {}, BACK],
    ['RETURNED', {}, BACK],
    ['RETURNED', charged, { ...BACK, rail: -CHARGE, books: { costs: CHARGE } }],
  ])(
    'is decided %s %j, and the books have exactly that, also after the bank would have responded',
    async (outcome, more, expected) => {
      const payment = await waitingPayment()
      const { client, id } = payment
      const said = await decided(client, id, decision(outcome, more))
      expect(said.decision).toMatchObject({
        outcome,
        transactionId: id,
        amount: { amount: SENT },
      })
      expect(await stateOf(payment)).toEqual(expected)
      await client.advance(SLOW_SECONDS + 1)
      expect(await stateOf(payment)).toEqual(expected)
      const last = outcome === 'DELIVERED' ? 'OUTGOING_PAYMENT.COMPLETED' : 'OUTGOING_PAYMENT.FAILED'
      expect((await eventsOf(client, { id })).at(-1)).toBe(last)
    },
  )

  test('stores author, reason and evidence, in its list and in the audit trail', async () => {
    const { client, id } = await waitingPayment()
    const { browser, id: memberId } = await newMember(client, ['VIEW', 'APPROVE'])
    const body = decision('RETURNED', charged)
    expect((await decide(browser, id, body)).status).toBe(200)
    const [only, ...others] = await decisionsOf(client, id)
    expect(others).toEqual([])
    expect(only).toMatchObject({
      outcome: 'RETURNED',
      reason: body.reason,
      evidence: body.evidence,
      charge: { amount: CHARGE, currency: { code: 'USD' } },
      decidedBy: { type: 'MEMBER', id: memberId, name: 'Grace Hopper' },
    })
    const { data } = (await client.get(`/audit-events?objectId=${id}`)).body
    expect(data[0]).toMatchObject({ operation: 'transaction_decide', actor: { id: memberId } })
  })

  test('explains its bookings by the author of the decision', async () => {
    const { client, id } = await waitingPayment()
    const { decision: row } = await decided(client, id, decision('RETURNED', charged))
    const { data } = (await client.get(`/ledger/transfers?cause=${id}`)).body
    const costs = data.find(({ debit }: Reply['body']) => debit.name === 'costs')
    expect(costs.amount.amount).toBe(CHARGE)
    const { steps } = (await client.get(`/ledger/transfers/${costs.id}/explain`)).body
    expect(steps.map(({ step }: Reply['body']) => step)).toEqual(['ENTRY', 'TRANSACTION', 'DECISION'])
    expect(steps[2]).toMatchObject({ id: row.id, state: 'RETURNED' })
    expect(steps[2].summary).toContain('with a charge of 3.00 USD: The bank has confirmed it')
  })

  test("shows its customer the outcome, and not the platform's reason", async () => {
    const { client, id } = await waitingPayment()
    await decided(client, id, decision('FAILED', { reason: 'Suspicious payee' }))
    const { body } = await client.get(`/transactions/${id}`)
    expect(body.counterpartyInformation.failureDetail).toBe('The platform determined that the payment failed')
    expect(toJson(body)).not.toContain('Suspicious')
  })
})

describe('a payment is decided once', () => {
  test('of fifty decisions in parallel, with one key or with others, one counts', async () => {
    const payment = await waitingPayment()
    const { client, id } = payment
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const isSame = index % 2 === 0
        const outcome = isSame ? 'RETURNED' : (['DELIVERED', 'FAILED', 'RETURNED'] as const)[index % 3]!
        const more = outcome === 'FAILED' ? {} : charged
        const headers = { 'Idempotency-Key': isSame ? 'the-same-key' : `key-${index}` }
        return decide(client, id, decision(outcome, more), headers)
      }),
    )
    const done = replies.filter(({ status }) => status === 200)
    expect(new Set(done.map(({ body }) => body.decision.id)).size).toBe(1)
    for (const { status, body } of replies)
      if (status !== 200)
        expect([body.code, body.details?.field]).toEqual(['INVALID_STATE_TRANSITION', 'railEventId'])
    await client.advance(SLOW_SECONDS)
    const [only, ...others] = await decisionsOf(client, id)
    expect(others).toEqual([])
    const costs = only.charge ? CHARGE : 0
    const expected = only.outcome === 'DELIVERED' ? PAID : BACK
    const books = costs ? { costs } : {}
    expect(await stateOf(payment)).toEqual({ ...expected, rail: expected.rail - costs, books })
  })

  test('a repeated call with its key gets the first response, and without one it is refused', async () => {
    const { client, id } = await waitingPayment()
    const key = { 'Idempotency-Key': 'again' }
    const first = await decide(client, id, decision('FAILED'), key)
    await client.advance(0)
    expect((await decide(client, id, decision('FAILED'), key)).body).toEqual(first.body)
    const again = await decide(client, id, decision('FAILED'))
    expectError(again, { code: 'INVALID_STATE_TRANSITION', field: 'railEventId' })
    expect(again.body.details.decisionId).toBe(first.body.decision.id)
  })

  test('and not at all once its rail has ended it, except that delivered money may have come back', async () => {
    const failed = await waitingPayment()
    await failed.client.advance(SLOW_SECONDS)
    for (const outcome of ['DELIVERED', 'FAILED', 'RETURNED'])
      expectError(await decide(failed.client, failed.id, decision(outcome)), {
        code: 'INVALID_STATE_TRANSITION',
      })
    expect(await stateOf(failed)).toEqual(BACK)
    const paid = await waitingPayment()
    await report(paid.client, 'payment.delivered', paid.id)
    for (const outcome of ['DELIVERED', 'FAILED'])
      expectError(await decide(paid.client, paid.id, decision(outcome)), { code: 'INVALID_STATE_TRANSITION' })
    expect(await stateOf(paid)).toEqual(PAID)
    await decided(paid.client, paid.id, decision('RETURNED', charged))
    expect(await stateOf(paid)).toEqual({ ...BACK, rail: -CHARGE, books: { costs: CHARGE } })
    expect(await report(paid.client, 'payment.delivered', paid.id)).toMatchObject({ status: 'APPLIED' })
  })
})

describe('a decision is refused', () => {
  const refused = async (payment: WaitingPayment, body: object, error: { code: string; field?: string }) => {
    expectError(await decide(payment.client, payment.id, body), error as Parameters<typeof expectError>[1])
    expect((await decisionsOf(payment.client, payment.id)).length).toBe(0)
    expect(await statusOfPayment(payment.client, payment.id)).toBe('PENDING')
  }

  test('for a charge that is too large, in another currency, or of a payment that never left', async () => {
    const payment = await waitingPayment()
    const charge = (amount: number, currency = 'USD') => ({ charge: { amount, currency } })
    await refused(payment, decision('RETURNED', charge(SENT + 1)), {
      code: 'AMOUNT_OUT_OF_RANGE',
      field: 'charge.amount',
    })
    await refused(payment, decision('RETURNED', charge(1, 'EUR')), {
      code: 'INVALID_CURRENCY',
      field: 'charge.currency',
    })
    await refused(payment, decision('FAILED', charge(1)), { code: 'INVALID_INPUT', field: 'charge' })
    for (const amount of [0, -1])
      await refused(payment, decision('RETURNED', charge(amount)), {
        code: 'INVALID_INPUT',
        field: 'charge.amount',
      })
  })

  test('without a reason or evidence, and with missing evidence', async () => {
    const payment = await waitingPayment()
    const evidence = (value: object) => decision('RETURNED', { evidence: value })
    await refused(
      payment,
      { ...decision('FAILED'), reason: undefined },
      { code: 'INVALID_INPUT', field: 'reason' },
    )
    await refused(payment, evidence({}), { code: 'INVALID_INPUT', field: 'evidence' })
    await refused(payment, evidence({ statementEntryIds: [noId('StatementEntry')] }), {
      code: 'INVALID_INPUT',
      field: 'evidence.statementEntryIds',
    })
    await refused(payment, evidence({ documentId: noId('Document') }), {
      code: 'DOCUMENT_NOT_FOUND',
      field: 'evidence.documentId',
    })
    await refused(payment, decision('FAILED', { railEventId: noId('RailEvent') }), {
      code: 'RAIL_EVENT_NOT_FOUND',
      field: 'railEventId',
    })
  })

  test('to members and tokens without the permission, and about payments of another platform', async () => {
    const payment = await waitingPayment()
    const { browser } = await newMember(payment.client, ['VIEW', 'MANAGE', 'REVIEW'])
    expectError(await decide(browser, payment.id, decision('FAILED')), { code: 'FORBIDDEN' })
    const stranger = await newPlatform()
    expectError(await decide(stranger, payment.id, decision('FAILED')), { code: 'TRANSACTION_NOT_FOUND' })
    expectError(await stranger.get(`/transactions/${payment.id}/decisions`), {
      code: 'TRANSACTION_NOT_FOUND',
    })
    const other = await waitingPayment()
    await report(other.client, 'payment.delivered', other.id)
    const event = await report(other.client, 'payment.failed', other.id)
    expect(event.status).toBe('WAITING')
    await refused(payment, decision('FAILED', { railEventId: event.id }), {
      code: 'RAIL_EVENT_NOT_FOUND',
      field: 'railEventId',
    })
  })

  test('about a payment that no rail was given', async () => {
    const { client, customer } = await waitingPayment()
    const { data } = (await client.get(`/transactions?customerId=${customer.id}&type=INCOMING`)).body
    for (const { id } of data)
      expectError(await decide(client, id, decision('DELIVERED')), { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(await client.get('/transactions/nobody/decisions')).toMatchObject({ status: 404 })
  })

  test('a vote for one outcome counts for no other', async () => {
    const payment = await waitingPayment()
    const { client, id } = payment
    const [one, other] = [
      await newMember(client, ['VIEW', 'APPROVE'], 'Ada'),
      await newMember(client, ['VIEW', 'APPROVE'], 'Grace'),
    ]
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    expectError(await decide(client, id, decision('DELIVERED')), { code: 'FORBIDDEN' })
    for (const body of [decision('DELIVERED'), decision('RETURNED'), decision('RETURNED', charged)]) {
      const reply = await decide(one.browser, id, body)
      expect(reply).toMatchObject({
        status: 200,
        body: { transaction: { id, status: 'PENDING' }, decision: { status: 'PROPOSED' } },
      })
      // A repeated vote does not count again.
      expect((await decide(one.browser, id, body)).body.decision).toBeUndefined()
    }
    expect((await decide(other.browser, id, decision('FAILED'))).body.decision.status).toBe('PROPOSED')
    const second = await decide(other.browser, id, decision('RETURNED', charged))
    expect(second.body.decision).toMatchObject({
      ...{ status: 'DECIDED', outcome: 'RETURNED', decidedBy: { id: other.id } },
    })
    const kept = (await decisionsOf(client, id)).map(({ status, outcome, decidedBy }: Reply['body']) => [
      ...[status, outcome, decidedBy.name],
    ])
    expect(kept).toEqual([
      ['DECIDED', 'RETURNED', 'Grace'],
      ['PROPOSED', 'FAILED', 'Grace'],
      ['PROPOSED', 'RETURNED', 'Ada'],
      ['PROPOSED', 'RETURNED', 'Ada'],
      ['PROPOSED', 'DELIVERED', 'Ada'],
    ])
    await client.advance(0)
    expect(await stateOf(payment)).toEqual({ ...BACK, rail: -CHARGE, books: { costs: CHARGE } })
  })
})
