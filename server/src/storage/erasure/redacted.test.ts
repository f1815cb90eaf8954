import { findEventDataSchema } from '@countersign/contract/events/webhooks'
import { expect, test } from 'vitest'
import { redactPaymentSide, redactRecord } from './redacted.ts'

const PAYMENT = {
  id: 'Transaction:0199a9c9-3c00-7cc0-98d0-b0a1c2d3e41c',
  status: 'COMPLETED',
  platformCustomerId: 'ada',
  sentAmount: {
    amount: 9_007_199_254_740_993n,
    currency: { code: 'USD', name: 'US Dollar', symbol: '$', decimals: 2 },
  },
  source: { sourceType: 'UMA_ADDRESS', umaAddress: '$ada@uma.example', currency: 'USD' },
  destination: { destinationType: 'UMA_ADDRESS', umaAddress: '$grace@uma.example', currency: 'USD' },
  description: 'for the barn',
  counterpartyInformation: { FULL_NAME: 'Grace Hopper' },
  refund: { reason: 'TRANSACTION_FAILED', status: 'PENDING' },
  createdAt: '2026-01-01T00:00:00.000Z',
  somethingNew: 'Ada Lovelace',
}
const toText = (value: object) =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `#${part}` : part)).replaceAll(
    /"#(\d+)"/g,
    '$1',
  )

test('an erased record keeps only properties that the contract marks as plain', () => {
  const erased = redactRecord(toText(PAYMENT), findEventDataSchema('OUTGOING_PAYMENT.COMPLETED'))
  expect(erased).toContain('"amount":9007199254740993')
  expect(JSON.parse(erased)).toMatchObject({
    isErased: true,
    id: PAYMENT.id,
    status: 'COMPLETED',
    platformCustomerId: 'erased',
    sentAmount: { currency: { code: 'USD', name: 'US Dollar' } },
    source: { sourceType: 'UMA_ADDRESS', umaAddress: '$erased@erased.invalid', currency: 'USD' },
    createdAt: PAYMENT.createdAt,
    somethingNew: 'erased',
  })
  expect(erased).not.toMatch(/Ada|ada@|Grace|barn/)
  expect(redactRecord(erased, undefined)).toBe(erased)
  expect(redactRecord('{}', undefined)).toBe('{"isErased":true}')
})

test('an erased record without a schema keeps no strings', () => {
  const erased = redactRecord(toText(PAYMENT), undefined)
  expect(erased).not.toMatch(/Ada|ada@|Grace|barn|COMPLETED|USD/)
})

test('a payment of another customer loses only the personal data about the erased customer', () => {
  const asPayee = JSON.parse(redactPaymentSide(toText(PAYMENT), 'destination'))
  expect(asPayee).toMatchObject({ description: 'for the barn', source: { umaAddress: '$ada@uma.example' } })
  expect(asPayee.destination.umaAddress).toBe('$erased@erased.invalid')
  expect(asPayee.counterpartyInformation).toBeUndefined()
  const asPayer = JSON.parse(redactPaymentSide(toText(PAYMENT), 'source'))
  expect(asPayer.description).toBeUndefined()
  expect([asPayer.source.umaAddress, asPayer.destination.umaAddress]).toEqual([
    '$erased@erased.invalid',
    '$grace@uma.example',
  ])
})
