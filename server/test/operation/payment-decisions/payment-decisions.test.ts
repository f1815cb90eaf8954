import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  buildUnknownId,
  decide,
  decided,
  decision,
  eventsOf,
  report,
  SENT,
  SLOW_SECONDS,
  stateOf,
  statusOfPayment,
  type WaitingPayment,
  waitingPayment,
} from '../../worlds/records/payments.testing.ts'

const CHARGE = 300
const chargeField = { charge: { amount: CHARGE, currency: 'USD' } }

const listDecisions = async (client: Client, id: string) =>
  (await client.get(`/transactions/${id}/decisions`)).body.data

/** The states of a delivered payment and of a refunded payment. */
const PAID = { status: 'COMPLETED', payer: [-SENT, -SENT], rail: -SENT, books: {} }
const REFUNDED = { status: 'FAILED', payer: [0, 0], rail: 0, books: {} }

describe('a payment that its rail has not completed', () => {
  test.each([
    ['DELIVERED', {}, PAID],
    ['DELIVERED', chargeField, { ...PAID, rail: -SENT - CHARGE, books: { costs: CHARGE } }],
    ['FAILED', {}, REFUNDED],
    ['RETURNED', {}, REFUNDED],
    ['RETURNED', chargeField, { ...REFUNDED, rail: -CHARGE, books: { costs: CHARGE } }],
  ])(
    'is decided %s %j, and the books keep exactly that after the bank would have responded',
    async (outcome, extra, expected) => {
      const payment = await waitingPayment()
      const { client, id } = payment
      const reply = await decided(client, id, decision(outcome, extra))
      expect(reply.decision).toMatchObject({
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

  test('stores the author, reason and evidence of its decision, also in the audit trail', async () => {
    const { client, id } = await waitingPayment()
    const { browser, id: memberId } = await newMember(client, ['VIEW', 'APPROVE'])
    const body = decision('RETURNED', chargeField)
    expect((await decide(browser, id, body)).status).toBe(200)
    const [storedDecision, ...otherDecisions] = await listDecisions(client, id)
    expect(otherDecisions).toEqual([])
    expect(storedDecision).toMatchObject({
      outcome: 'RETURNED',
      reason: body.reason,
      evidence: body.evidence,
      charge: { amount: CHARGE, currency: { code: 'USD' } },
      decidedBy: { type: 'MEMBER', id: memberId, name: 'Grace Hopper' },
    })
    const { data } = (await client.get(`/audit-events?objectId=${id}`)).body
    expect(data[0]).toMatchObject({ operation: 'transaction_decide', actor: { id: memberId } })
  })

  test('explains its bookings with the decision', async () => {
    const { client, id } = await waitingPayment()
    const { decision: row } = await decided(client, id, decision('RETURNED', chargeField))
    const { data } = (await client.get(`/ledger/transfers?cause=${id}`)).body
    const costs = data.find(({ debit }: Reply['body']) => debit.name === 'costs')
    expect(costs.amount.amount).toBe(CHARGE)
    const { steps } = (await client.get(`/ledger/transfers/${costs.id}/explain`)).body
    expect(steps.map(({ step }: Reply['body']) => step)).toEqual(['ENTRY', 'TRANSACTION', 'DECISION'])
    expect(steps[2]).toMatchObject({ id: row.id, state: 'RETURNED' })
    expect(steps[2].summary).toContain('with a charge of 3.00 USD: The bank has confirmed it')
  })

  test("shows its customer the outcome, but not the platform's reason", async () => {
    const { client, id } = await waitingPayment()
    await decided(client, id, decision('FAILED', { reason: 'Suspicious payee' }))
    const { body } = await client.get(`/transactions/${id}`)
    expect(body.counterpartyInformation.failureDetail).toBe('The platform determined that the payment failed')
    expect(toJson(body)).not.toContain('Suspicious')
  })
})

describe('deciding a payment', () => {
  test('counts only one of fifty parallel decisions, with one key or several', async () => {
    const payment = await waitingPayment()
    const { client, id } = payment
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => {
        const isSame = index % 2 === 0
        const outcome = isSame ? 'RETURNED' : (['DELIVERED', 'FAILED', 'RETURNED'] as const)[index % 3]!
        const extra = outcome === 'FAILED' ? {} : chargeField
        const headers = { 'Idempotency-Key': isSame ? 'the-same-key' : `key-${index}` }
        return decide(client, id, decision(outcome, extra), headers)
      }),
    )
    const acceptedReplies = replies.filter(({ status }) => status === 200)
    expect(new Set(acceptedReplies.map(({ body }) => body.decision.id)).size).toBe(1)
    for (const { status, body } of replies)
      if (status !== 200)
        expect([body.code, body.details?.field]).toEqual(['INVALID_STATE_TRANSITION', 'railEventId'])
    await client.advance(SLOW_SECONDS)
    const [storedDecision, ...otherDecisions] = await listDecisions(client, id)
    expect(otherDecisions).toEqual([])
    const costs = storedDecision.charge ? CHARGE : 0
    const expected = storedDecision.outcome === 'DELIVERED' ? PAID : REFUNDED
    const books = costs ? { costs } : {}
    expect(await stateOf(payment)).toEqual({ ...expected, rail: expected.rail - costs, books })
  })

  test('returns the first response to a repeated request with its key, and refuses one without a key', async () => {
    const { client, id } = await waitingPayment()
    const key = { 'Idempotency-Key': 'again' }
    const first = await decide(client, id, decision('FAILED'), key)
    await client.advance(0)
    expect((await decide(client, id, decision('FAILED'), key)).body).toEqual(first.body)
    const secondReply = await decide(client, id, decision('FAILED'))
    expectError(secondReply, { code: 'INVALID_STATE_TRANSITION', field: 'railEventId' })
    expect(secondReply.body.details.decisionId).toBe(first.body.decision.id)
  })

  test('is refused once the rail has completed the payment, except that delivered money may have been returned', async () => {
    const failedPayment = await waitingPayment()
    await failedPayment.client.advance(SLOW_SECONDS)
    for (const outcome of ['DELIVERED', 'FAILED', 'RETURNED'])
      expectError(await decide(failedPayment.client, failedPayment.id, decision(outcome)), {
        code: 'INVALID_STATE_TRANSITION',
      })
    expect(await stateOf(failedPayment)).toEqual(REFUNDED)
    const paidPayment = await waitingPayment()
    await report(paidPayment.client, 'payment.delivered', paidPayment.id)
    for (const outcome of ['DELIVERED', 'FAILED'])
      expectError(await decide(paidPayment.client, paidPayment.id, decision(outcome)), {
        code: 'INVALID_STATE_TRANSITION',
      })
    expect(await stateOf(paidPayment)).toEqual(PAID)
    await decided(paidPayment.client, paidPayment.id, decision('RETURNED', chargeField))
    expect(await stateOf(paidPayment)).toEqual({ ...REFUNDED, rail: -CHARGE, books: { costs: CHARGE } })
    expect(await report(paidPayment.client, 'payment.delivered', paidPayment.id)).toMatchObject({
      status: 'APPLIED',
    })
  })
})

describe('a decision is refused', () => {
  const expectRefused = async (
    payment: WaitingPayment,
    body: object,
    error: { code: string; field?: string },
  ) => {
    expectError(await decide(payment.client, payment.id, body), error as Parameters<typeof expectError>[1])
    expect((await listDecisions(payment.client, payment.id)).length).toBe(0)
    expect(await statusOfPayment(payment.client, payment.id)).toBe('PENDING')
  }

  test('for a charge that is too large, in another currency, or of a payment that never left', async () => {
    const payment = await waitingPayment()
    const buildCharge = (amount: number, currency = 'USD') => ({ charge: { amount, currency } })
    await expectRefused(payment, decision('RETURNED', buildCharge(SENT + 1)), {
      code: 'AMOUNT_OUT_OF_RANGE',
      field: 'charge.amount',
    })
    await expectRefused(payment, decision('RETURNED', buildCharge(1, 'EUR')), {
      code: 'INVALID_CURRENCY',
      field: 'charge.currency',
    })
    await expectRefused(payment, decision('FAILED', buildCharge(1)), {
      code: 'INVALID_INPUT',
      field: 'charge',
    })
    for (const amount of [0, -1])
      await expectRefused(payment, decision('RETURNED', buildCharge(amount)), {
        code: 'INVALID_INPUT',
        field: 'charge.amount',
      })
  })

  test('without a reason or evidence, or with evidence that does not exist', async () => {
    const payment = await waitingPayment()
    const withEvidence = (value: object) => decision('RETURNED', { evidence: value })
    await expectRefused(
      payment,
      { ...decision('FAILED'), reason: undefined },
      { code: 'INVALID_INPUT', field: 'reason' },
    )
    await expectRefused(payment, withEvidence({}), { code: 'INVALID_INPUT', field: 'evidence' })
    await expectRefused(payment, withEvidence({ statementEntryIds: [buildUnknownId('StatementEntry')] }), {
      code: 'INVALID_INPUT',
      field: 'evidence.statementEntryIds',
    })
    await expectRefused(payment, withEvidence({ documentId: buildUnknownId('Document') }), {
      code: 'DOCUMENT_NOT_FOUND',
      field: 'evidence.documentId',
    })
    await expectRefused(payment, decision('FAILED', { railEventId: buildUnknownId('RailEvent') }), {
      code: 'RAIL_EVENT_NOT_FOUND',
      field: 'railEventId',
    })
  })

  test('for members and tokens without the permission, and for payments of another platform', async () => {
    const payment = await waitingPayment()
    const { browser } = await newMember(payment.client, ['VIEW', 'MANAGE', 'REVIEW'])
    expectError(await decide(browser, payment.id, decision('FAILED')), { code: 'FORBIDDEN' })
    const stranger = await newPlatform()
    expectError(await decide(stranger, payment.id, decision('FAILED')), { code: 'TRANSACTION_NOT_FOUND' })
    expectError(await stranger.get(`/transactions/${payment.id}/decisions`), {
      code: 'TRANSACTION_NOT_FOUND',
    })
    const otherPayment = await waitingPayment()
    await report(otherPayment.client, 'payment.delivered', otherPayment.id)
    const event = await report(otherPayment.client, 'payment.failed', otherPayment.id)
    expect(event.status).toBe('WAITING')
    await expectRefused(payment, decision('FAILED', { railEventId: event.id }), {
      code: 'RAIL_EVENT_NOT_FOUND',
      field: 'railEventId',
    })
  })

  test('for a payment that no rail has received', async () => {
    const { client, customer } = await waitingPayment()
    const { data } = (await client.get(`/transactions?customerId=${customer.id}&type=INCOMING`)).body
    for (const { id } of data)
      expectError(await decide(client, id, decision('DELIVERED')), { code: 'PAYMENT_NOT_DECIDABLE' })
    expect(await client.get('/transactions/nobody/decisions')).toMatchObject({ status: 404 })
  })

  test('until two members vote for the same outcome, if two have to approve', async () => {
    const payment = await waitingPayment()
    const { client, id } = payment
    const [firstMember, secondMember] = [
      await newMember(client, ['VIEW', 'APPROVE'], 'Ada'),
      await newMember(client, ['VIEW', 'APPROVE'], 'Grace'),
    ]
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    expectError(await decide(client, id, decision('DELIVERED')), { code: 'FORBIDDEN' })
    for (const body of [decision('DELIVERED'), decision('RETURNED'), decision('RETURNED', chargeField)]) {
      const reply = await decide(firstMember.browser, id, body)
      expect(reply).toMatchObject({
        status: 200,
        body: { transaction: { id, status: 'PENDING' }, decision: { status: 'PROPOSED' } },
      })
      // A repeated vote does not count again.
      expect((await decide(firstMember.browser, id, body)).body.decision).toBeUndefined()
    }
    expect((await decide(secondMember.browser, id, decision('FAILED'))).body.decision.status).toBe('PROPOSED')
    const second = await decide(secondMember.browser, id, decision('RETURNED', chargeField))
    expect(second.body.decision).toMatchObject({
      ...{ status: 'DECIDED', outcome: 'RETURNED', decidedBy: { id: secondMember.id } },
    })
    const storedDecisions = (await listDecisions(client, id)).map(
      ({ status, outcome, decidedBy }: Reply['body']) => [...[status, outcome, decidedBy.name]],
    )
    expect(storedDecisions).toEqual([
      ['DECIDED', 'RETURNED', 'Grace'],
      ['PROPOSED', 'FAILED', 'Grace'],
      ['PROPOSED', 'RETURNED', 'Ada'],
      ['PROPOSED', 'RETURNED', 'Ada'],
      ['PROPOSED', 'DELIVERED', 'Ada'],
    ])
    await client.advance(0)
    expect(await stateOf(payment)).toEqual({ ...REFUNDED, rail: -CHARGE, books: { costs: CHARGE } })
  })
})
