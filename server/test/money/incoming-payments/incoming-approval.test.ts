import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { newBankAccount } from '../../worlds/client.testing.ts'
import { buildMissingId, expectError } from '../../worlds/contract/calls.testing.ts'
import {
  balanceOf,
  eventsOf,
  newReviewedPlatform,
  now,
  payNow,
} from '../../worlds/records/payments.testing.ts'
import type { Reaction } from '../../worlds/simulators/webhook-receiver.testing.ts'

const MINUTES = 60

const respondWith =
  (status: number, body: unknown): Reaction =>
  (response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))

describe('the response to the webhook of an incoming payment', () => {
  test('accepts the payment with the status 200, and the webhook shows it as waiting', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(
      respondWith(200, { receiverCustomerInfo: { FULL_NAME: 'Ada' } }),
    )
    const transaction = await payNow(client, customer.id)
    expect(transaction.status).toBe('PENDING')
    expect((await now(client, transaction)).status).toBe('COMPLETED')
    expect(await balanceOf(client, customer.id)).toBe(1250n)
    await receiver.until(() => receiver.of('INCOMING_PAYMENT.COMPLETED').length === 1)
    const [pendingEvent, ...others] = receiver.of('INCOMING_PAYMENT.PENDING')
    expect(pendingEvent!.event.data).toEqual({ ...transaction, requestedReceiverCustomerInfoFields: [] })
    expect(others).toEqual([])
    expect(await eventsOf(client, transaction)).toEqual([
      'INCOMING_PAYMENT.PENDING',
      'INCOMING_PAYMENT.COMPLETED',
    ])
  })

  test.each([
    [
      '403',
      respondWith(403, { reason: 'Not today' }),
      { counterpartyInformation: { rejectionReason: 'Not today' } },
    ],
    ['403 and no body', 403, {}],
    ['403 and a body that is not JSON', respondWith(403, 'no'), {}],
    ['403 and a reason that is not a string', respondWith(403, { reason: ['x'], message: 'a\u0000b' }), {}],
    [
      '403 and a long reason',
      respondWith(403, { message: '💥'.repeat(2000) }),
      { counterpartyInformation: { rejectionReason: '💥'.repeat(500) } },
    ],
    [
      '422',
      respondWith(422, { requiredFields: ['BIRTH_DATE', 'SHOE_SIZE', 7] }),
      {
        failureReason: 'MISSING_MANDATORY_PAYEE_DATA',
        counterpartyInformation: { requiredFields: ['BIRTH_DATE'] },
      },
    ],
  ])(
    'refuses the payment with the status %s, and the transaction shows the reason',
    async (_, reaction, shown) => {
      const { client, customer } = await newReviewedPlatform(reaction)
      const { updatedAt: _before, ...transaction } = await payNow(client, customer.id)
      const { updatedAt: _after, ...rejected } = await now(client, transaction)
      expect(rejected).toEqual({ ...transaction, status: 'REJECTED', ...shown })
      expect(await balanceOf(client, customer.id)).toBe(0n)
      expect(await eventsOf(client, transaction)).toEqual([
        'INCOMING_PAYMENT.PENDING',
        'INCOMING_PAYMENT.FAILED',
      ])
    },
  )

  test.each([
    ['invalid JSON', '['.repeat(5000)],
    ['very deep nesting', `{"receiverCustomerInfo":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`],
    ['text that cannot be stored', { receiverCustomerInfo: { name: 'a\u0000b', '\ud800': 1 } }],
    ['a number out of range', '{"receiverCustomerInfo":{"a":1e400}}'],
    ['a __proto__ property', '{"receiverCustomerInfo":{"__proto__":{"a":1}}}'],
  ])('accepts the payment with the status 200 even if the body has %s', async (_, body) => {
    const { client, customer } = await newReviewedPlatform(respondWith(200, body))
    const transaction = await payNow(client, customer.id)
    expect((await now(client, transaction)).status).toBe('COMPLETED')
  })

  test.each([202, 409])('leaves the decision to approve and reject with the status %i', async (status) => {
    const { client, customer, receiver } = await newReviewedPlatform(status)
    const [first, second] = [await payNow(client, customer.id), await payNow(client, customer.id)]
    expect((await now(client, first)).status).toBe('PENDING')
    await client.advance(10 * MINUTES)
    expect(receiver.of('INCOMING_PAYMENT.PENDING')).toHaveLength(2)

    const approved = await client.post(`/transactions/${first.id}/approve`, {
      receiverCustomerInfo: { FULL_NAME: 'Ada', nested: { any: ['thing', 9007199254740993n] } },
    })
    expect(approved).toMatchObject({ status: 200, body: { id: first.id, status: 'PROCESSING' } })
    const rejected = await client.post(`/transactions/${second.id}/reject`, { reason: 'Unknown sender' })
    expect(rejected).toMatchObject({
      status: 200,
      body: { status: 'REJECTED', counterpartyInformation: { rejectionReason: 'Unknown sender' } },
    })
    expect((await now(client, first)).status).toBe('COMPLETED')
    expect(await now(client, second)).toEqual(rejected.body)
    expect(await balanceOf(client, customer.id)).toBe(1250n)
  })

  test('is requested again after any other status, until there is a decision', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(200)
    const statuses = [500, 204, 302, 404, 200]
    receiver.answer = ({ event }) =>
      event.type === 'INCOMING_PAYMENT.PENDING' ? (statuses.shift() ?? 500) : 200
    const transaction = await payNow(client, customer.id)
    expect((await now(client, transaction)).status).toBe('PENDING')
    await client.advance(5 * MINUTES)
    expect((await now(client, transaction)).status).toBe('COMPLETED')
    const ids = receiver.of('INCOMING_PAYMENT.PENDING').map(({ event }) => event.id)
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(1)
  })

  test('changes nothing after the decision, and ends the delivery', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(500)
    const transaction = await payNow(client, customer.id)
    await receiver.until((all) => all.length === 1)
    receiver.answer = () => respondWith(403, { reason: 'Too late' })
    expect((await client.post(`/transactions/${transaction.id}/approve`)).status).toBe(200)
    await client.advance(5 * MINUTES)
    expect((await now(client, transaction)).status).toBe('COMPLETED')
    expect(receiver.of('INCOMING_PAYMENT.PENDING')).toHaveLength(2)
    expect(await balanceOf(client, customer.id)).toBe(1250n)
  })
})

describe('a payment that is undecided for 15 minutes fails', () => {
  test.each([
    ['202', 202, 'PAYMENT_APPROVAL_TIMED_OUT'],
    ['409', 409, 'PAYMENT_APPROVAL_TIMED_OUT'],
    ['only errors', 500, 'PAYMENT_APPROVAL_WEBHOOK_ERROR'],
    ['no response at all', (response) => response.destroy(), 'PAYMENT_APPROVAL_WEBHOOK_ERROR'],
  ] as const satisfies [string, Reaction, string][])('after %s', async (_, reaction, failureReason) => {
    const { client, customer } = await newReviewedPlatform(reaction)
    const transaction = await payNow(client, customer.id)
    await client.advance(15 * MINUTES - 5)
    expect((await now(client, transaction)).status).toBe('PENDING')
    await client.advance(5)
    expect(await now(client, transaction)).toMatchObject({ status: 'FAILED', failureReason })
    expect(await balanceOf(client, customer.id)).toBe(0n)
    expect(await eventsOf(client, transaction)).toEqual([
      'INCOMING_PAYMENT.PENDING',
      'INCOMING_PAYMENT.FAILED',
    ])
    for (const action of ['approve', 'reject'])
      expectError(await client.post(`/transactions/${transaction.id}/${action}`), {
        code: 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL',
        field: 'transactionId',
      })
  })
})

describe('many decisions about one payment', () => {
  test('count at most once, and the credited money matches the outcome', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(200)
    let release = () => {}
    const heldResponse = new Promise<void>((resolve) => {
      release = resolve
    })
    receiver.answer = ({ event }) =>
      event.type === 'INCOMING_PAYMENT.PENDING' ? heldResponse.then(() => 403) : 200
    const payments = await Promise.all([0, 1, 2].map(() => payNow(client, customer.id)))
    await receiver.until((all) => all.length === payments.length)
    const decisions = payments.flatMap(({ id }) =>
      ['approve', 'reject', 'approve', 'reject'].map((action) => ({ id, action })),
    )
    const replies = decisions.map(({ id, action }) => client.post(`/transactions/${id}/${action}`))
    release()
    const results = await Promise.all([...replies, client.advance(15 * MINUTES)])
    let credited = 0n
    for (const payment of payments) {
      const accepted = decisions.filter(
        ({ id }, index) => id === payment.id && results[index]!.status === 200,
      )
      const { status } = await now(client, payment)
      const expected = accepted[0]
        ? accepted[0].action === 'approve'
          ? ['COMPLETED']
          : ['REJECTED']
        : ['REJECTED', 'FAILED']
      expect(accepted.length).toBeLessThanOrEqual(1)
      expect(expected).toContain(status)
      if (status === 'COMPLETED') credited += 1250n
      expect(await eventsOf(client, payment)).toHaveLength(2)
    }
    for (const reply of results) if (reply) expect([200, 409], toJson(reply.body)).toContain(reply.status)
    expect(await balanceOf(client, customer.id)).toBe(credited)
  })

  test('are accepted only while the payment waits for a decision', async () => {
    const { client, customer } = await newReviewedPlatform(202)
    const expectNotPending = async (id: string, status: string) => {
      for (const action of ['approve', 'reject']) {
        const reply = await client.post(`/transactions/${id}/${action}`)
        expectError(reply, { code: 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', field: 'transactionId' })
        expect(reply.body.details.status).toBe(status)
      }
    }
    const waiting = await payNow(client, customer.id)
    await client.post(`/transactions/${waiting.id}/reject`)
    await expectNotPending(waiting.id, 'REJECTED')
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: customer.usd },
      destination: { destinationType: 'ACCOUNT', accountId: await newBankAccount(client, customer.id) },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
    })
    await expectNotPending(quote.body.transactionId, 'PENDING')
    for (const action of ['approve', 'reject'])
      expectError(await client.post(`/transactions/${buildMissingId('Transaction')}/${action}`), {
        code: 'TRANSACTION_NOT_FOUND',
      })
  })
})
