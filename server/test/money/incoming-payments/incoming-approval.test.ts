import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { newBankAccount } from '../../worlds/client.testing.ts'
import { expectError, missingId } from '../../worlds/contract/calls.testing.ts'
import {
  balanceOf,
  eventsOf,
  newReviewedPlatform,
  now,
  payNow,
} from '../../worlds/records/payments.testing.ts'
import type { Reaction } from '../../worlds/simulators/webhook-receiver.testing.ts'

const MINUTES = 60

const saying =
  (status: number, body: unknown): Reaction =>
  (response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))

describe('the response to the webhook', () => {
  test('200 accepts the payment, which the webhook shows as waiting', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(
      saying(200, { receiverCustomerInfo: { FULL_NAME: 'Ada' } }),
    )
    const transaction = await payNow(client, customer.id)
    expect(transaction.status).toBe('PENDING')
    expect((await now(client, transaction)).status).toBe('COMPLETED')
    expect(await balanceOf(client, customer.id)).toBe(1250n)
    await receiver.until(() => receiver.of('INCOMING_PAYMENT.COMPLETED').length === 1)
    const [question, ...others] = receiver.of('INCOMING_PAYMENT.PENDING')
    expect(question!.event.data).toEqual({ ...transaction, requestedReceiverCustomerInfoFields: [] })
    expect(others).toEqual([])
    expect(await eventsOf(client, transaction)).toEqual([
      'INCOMING_PAYMENT.PENDING',
      'INCOMING_PAYMENT.COMPLETED',
    ])
  })

  test.each([
    [
      '403',
      saying(403, { reason: 'Not today' }),
      { counterpartyInformation: { rejectionReason: 'Not today' } },
    ],
    ['403 without a body', 403, {}],
    ['403 that is no JSON', saying(403, 'no'), {}],
    ['403 with what is no text', saying(403, { reason: ['x'], message: 'a\u0000b' }), {}],
    [
      '403 with much text',
      saying(403, { message: '💥'.repeat(2000) }),
      { counterpartyInformation: { rejectionReason: '💥'.repeat(500) } },
    ],
    [
      '422',
      saying(422, { requiredFields: ['BIRTH_DATE', 'SHOE_SIZE', 7] }),
      {
        failureReason: 'MISSING_MANDATORY_PAYEE_DATA',
        counterpartyInformation: { requiredFields: ['BIRTH_DATE'] },
      },
    ],
  ])('%s refuses it, with the given reason', async (_, reaction, shown) => {
    const { client, customer } = await newReviewedPlatform(reaction)
    const { updatedAt: _before, ...transaction } = await payNow(client, customer.id)
    const { updatedAt: _after, ...after } = await now(client, transaction)
    expect(after).toEqual({ ...transaction, status: 'REJECTED', ...shown })
    expect(await balanceOf(client, customer.id)).toBe(0n)
    expect(await eventsOf(client, transaction)).toEqual([
      'INCOMING_PAYMENT.PENDING',
      'INCOMING_PAYMENT.FAILED',
    ])
  })

  test.each([
    ['nothing readable', '['.repeat(5000)],
    ['nesting without end', `{"receiverCustomerInfo":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`],
    ['text that nothing can hold', { receiverCustomerInfo: { name: 'a\u0000b', '\ud800': 1 } }],
    ['a number that is none', '{"receiverCustomerInfo":{"a":1e400}}'],
    ['members of an object itself', '{"receiverCustomerInfo":{"__proto__":{"a":1}}}'],
  ])('200 accepts it, whatever else the body has: %s', async (_, body) => {
    const { client, customer } = await newReviewedPlatform(saying(200, body))
    const transaction = await payNow(client, customer.id)
    expect((await now(client, transaction)).status).toBe('COMPLETED')
  })

  test.each([202, 409])('%i leaves it to approve and reject', async (status) => {
    const { client, customer, receiver } = await newReviewedPlatform(status)
    const [one, other] = [await payNow(client, customer.id), await payNow(client, customer.id)]
    expect((await now(client, one)).status).toBe('PENDING')
    await client.advance(10 * MINUTES)
    expect(receiver.of('INCOMING_PAYMENT.PENDING')).toHaveLength(2)

    const approved = await client.post(`/transactions/${one.id}/approve`, {
      receiverCustomerInfo: { FULL_NAME: 'Ada', nested: { any: ['thing', 9007199254740993n] } },
    })
    expect(approved).toMatchObject({ status: 200, body: { id: one.id, status: 'PROCESSING' } })
    const rejected = await client.post(`/transactions/${other.id}/reject`, { reason: 'Unknown sender' })
    expect(rejected).toMatchObject({
      status: 200,
      body: { status: 'REJECTED', counterpartyInformation: { rejectionReason: 'Unknown sender' } },
    })
    expect((await now(client, one)).status).toBe('COMPLETED')
    expect(await now(client, other)).toEqual(rejected.body)
    expect(await balanceOf(client, customer.id)).toBe(1250n)
  })

  test('anything else is retried until there is a decision', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(200)
    const answers = [500, 204, 302, 404, 200]
    receiver.answer = ({ event }) =>
      event.type === 'INCOMING_PAYMENT.PENDING' ? (answers.shift() ?? 500) : 200
    const transaction = await payNow(client, customer.id)
    expect((await now(client, transaction)).status).toBe('PENDING')
    await client.advance(5 * MINUTES)
    expect((await now(client, transaction)).status).toBe('COMPLETED')
    const ids = receiver.of('INCOMING_PAYMENT.PENDING').map(({ event }) => event.id)
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(1)
  })

  test('that comes after the decision changes nothing and ends the delivery', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(500)
    const transaction = await payNow(client, customer.id)
    await receiver.until((all) => all.length === 1)
    receiver.answer = () => saying(403, { reason: 'Too late' })
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
    ['nothing at all', (response) => response.destroy(), 'PAYMENT_APPROVAL_WEBHOOK_ERROR'],
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
    for (const word of ['approve', 'reject'])
      expectError(await client.post(`/transactions/${transaction.id}/${word}`), {
        code: 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL',
        field: 'transactionId',
      })
  })
})

describe('of many decisions about one payment', () => {
  test('exactly one counts, and the money fits it', async () => {
    const { client, customer, receiver } = await newReviewedPlatform(200)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    receiver.answer = ({ event }) => (event.type === 'INCOMING_PAYMENT.PENDING' ? held.then(() => 403) : 200)
    const payments = await Promise.all([0, 1, 2].map(() => payNow(client, customer.id)))
    await receiver.until((all) => all.length === payments.length)
    const words = payments.flatMap(({ id }) =>
      ['approve', 'reject', 'approve', 'reject'].map((word) => ({ id, word })),
    )
    const replies = words.map(({ id, word }) => client.post(`/transactions/${id}/${word}`))
    release()
    const answers = await Promise.all([...replies, client.advance(15 * MINUTES)])
    let credited = 0n
    for (const payment of payments) {
      const won = words.filter(({ id }, index) => id === payment.id && answers[index]!.status === 200)
      const { status } = await now(client, payment)
      const expected = won[0]
        ? won[0].word === 'approve'
          ? ['COMPLETED']
          : ['REJECTED']
        : ['REJECTED', 'FAILED']
      expect(won.length).toBeLessThanOrEqual(1)
      expect(expected).toContain(status)
      if (status === 'COMPLETED') credited += 1250n
      expect(await eventsOf(client, payment)).toHaveLength(2)
    }
    for (const reply of answers) if (reply) expect([200, 409], toJson(reply.body)).toContain(reply.status)
    expect(await balanceOf(client, customer.id)).toBe(credited)
  })

  test('only one about a waiting payment is accepted, and none about a decided or another payment', async () => {
    const { client, customer } = await newReviewedPlatform(202)
    const refused = async (id: string, status: string) => {
      for (const word of ['approve', 'reject']) {
        const reply = await client.post(`/transactions/${id}/${word}`)
        expectError(reply, { code: 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL', field: 'transactionId' })
        expect(reply.body.details.status).toBe(status)
      }
    }
    const waiting = await payNow(client, customer.id)
    await client.post(`/transactions/${waiting.id}/reject`)
    await refused(waiting.id, 'REJECTED')
    const quote = await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: customer.usd },
      destination: { destinationType: 'ACCOUNT', accountId: await newBankAccount(client, customer.id) },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
    })
    await refused(quote.body.transactionId, 'PENDING')
    for (const word of ['approve', 'reject'])
      expectError(await client.post(`/transactions/${missingId('Transaction')}/${word}`), {
        code: 'TRANSACTION_NOT_FOUND',
      })
  })
})
