import { expect, test } from 'vitest'
import type { Answer } from '../client/calls.ts'
import type { Payment } from '../signing/statement.ts'
import { checkPayment } from './hold-payment.ts'

const buildCurrency = (code: string) => ({ code, name: code, symbol: code, decimals: 2 })
const quote = {
  id: 'Quote:1',
  totalSendingAmount: 2_572n,
  totalReceivingAmount: 2_500n,
  feesIncluded: 22n,
  sendingCurrency: buildCurrency('USDB'),
  receivingCurrency: buildCurrency('USD'),
} as Answer<'quote_get'>['body']
const destination = { destinationType: 'ACCOUNT', accountId: 'ExternalAccount:1' } as const
const request = { destination, lockedCurrencySide: 'RECEIVING', lockedCurrencyAmount: 2_500n } as const
const payment = {
  quote: 'Quote:1',
  sends: { amount: 2_572n, currency: 'USDB' },
  delivers: { amount: 2_500n, currency: 'USD' },
  feesIncluded: 22n,
  destination: { ...destination, currency: 'USD' },
} as Payment

test('a signer restricted to a quote signs the requested payment', () => {
  expect(() => checkPayment(payment, quote, request)).not.toThrow()
  const sending = { ...request, lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 2_572n } as const
  expect(() => checkPayment(payment, quote, sending)).not.toThrow()
  const uma = { destinationType: 'UMA_ADDRESS', umaAddress: '$ada@pay.example' } as const
  const toUma = { ...payment, destination: { ...uma, currency: 'USD' } } as Payment
  const typed = { ...request, destination: { ...uma, umaAddress: ' $Ada@pay.example' } }
  expect(() => checkPayment(toUma, quote, typed)).not.toThrow()
})

test.each([
  ['quote', { quote: 'Quote:2' }],
  ['sends.amount', { sends: { amount: 9_572n, currency: 'USDB' } }],
  ['sends.currency', { sends: { amount: 2_572n, currency: 'BTC' } }],
  ['feesIncluded', { feesIncluded: 23n }],
  ['delivers.amount', { delivers: { amount: 2_499n, currency: 'USD' } }],
  ['delivers.currency', { delivers: { amount: 2_500n, currency: 'MXN' } }],
  ['destination.accountId', { destination: { ...payment.destination, accountId: 'ExternalAccount:2' } }],
  [
    'destination.destinationType',
    { destination: { destinationType: 'UMA_ADDRESS', umaAddress: '$eve@pay.example', currency: 'USD' } },
  ],
])('a payload with another %s is refused', (member, change) => {
  expect(() => checkPayment({ ...payment, ...change } as Payment, quote, request)).toThrow(
    expect.objectContaining({ name: 'PayloadMismatchError', member }),
  )
})

test('a quote with a different amount than requested is rejected, even if it matches its payload', () => {
  const quoteRequest = { ...request, lockedCurrencyAmount: 2_000n }
  expect(() => checkPayment(payment, quote, quoteRequest)).toThrow(/delivers\.amount/)
  const elsewhere = { ...request, destination: { ...destination, accountId: 'ExternalAccount:2' } }
  expect(() => checkPayment(payment, quote, elsewhere)).toThrow(/destination\.accountId/)
  const inPesos = { ...request, destination: { ...destination, currency: 'MXN' } }
  expect(() => checkPayment(payment, quote, inPesos)).toThrow(/destination\.currency/)
})
