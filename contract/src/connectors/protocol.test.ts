import { describe, expect, test } from 'vitest'
import { ACCOUNT_TYPES, getExampleAccounts, isAccountType } from '../accounts/account-types.ts'
import { ConnectorEvent } from './events.ts'
import { callSigningId, DepositAccount, PaymentRequest, parseDigits } from './protocol.ts'
import { readBody } from './reader.ts'

const payment = {
  id: 'Transaction:0193a1b2-0000-7000-8000-000000000010',
  amount: { value: '125000', currency: 'EUR', decimals: 2 },
  beneficiary: { accountType: 'EUR_ACCOUNT', account: { iban: 'DE89370400440532013000' } },
  reference: 'Q-1',
  requestedAt: '2026-11-22T12:00:00Z',
}
const { beneficiary: _beneficiary, ...withoutBeneficiary } = payment

describe('a body of the protocol', () => {
  test('is read unchanged, including unknown fields', () => {
    const sent = { ...payment, colour: 'blue' }
    expect(readBody(PaymentRequest, sent)).toEqual({ value: sent })
  })

  test.each([
    ['amount.value', { ...payment, amount: { ...payment.amount, value: '12.50' } }],
    ['amount.value', { ...payment, amount: { ...payment.amount, value: 125000 } }],
    ['id', { ...payment, id: 'Card:1' }],
    ['the body', withoutBeneficiary],
    ['the body', { ...payment, returnOf: { depositId: 'd-1' } }],
    ['beneficiary.account', { ...payment, beneficiary: { accountType: 'EUR_ACCOUNT', account: {} } }],
    [
      'beneficiary.account.iban',
      { ...payment, beneficiary: { ...payment.beneficiary, account: { iban: '1' } } },
    ],
    ['beneficiary.accountType', { ...payment, beneficiary: { accountType: 'SHELLS', account: {} } }],
    ['the body', null],
    ['the body', [payment]],
  ])('is rejected with the name of the invalid field: %s', (field, body) => {
    expect(readBody(PaymentRequest, body).fault).toMatch(new RegExp(`^${field} `))
  })

  test('accepts the return of a deposit instead of a beneficiary', () => {
    const sent = { ...withoutBeneficiary, id: 'Deposit:1', returnOf: { depositId: 'd-1' } }
    expect(readBody(PaymentRequest, sent)).toEqual({ value: sent })
  })

  const types = Object.keys(ACCOUNT_TYPES).filter(isAccountType)
  test.each(types.filter((name) => getExampleAccounts(name).length > 0))(
    'accepts an account of type %s',
    (name) => {
      for (const { accountType, ...account } of getExampleAccounts(name)) {
        const body = { ...payment, beneficiary: { accountType, account } }
        expect(readBody(PaymentRequest, body)).toEqual({ value: body })
      }
    },
  )

  test('has details to pay into without the reference, which Countersign knows', () => {
    const head = {
      id: 'Pool:USD',
      depositAccountId: 'da-1',
      matching: 'REFERENCE',
      accountType: 'USD_ACCOUNT',
    }
    const complete = { ...head, account: { accountNumber: '123', routingNumber: '021000021' } }
    expect(readBody(DepositAccount, complete, 'deposit')).toEqual({ value: complete })
    const incomplete = { ...head, account: { accountNumber: '123' } }
    expect(readBody(DepositAccount, incomplete, 'deposit').fault).toMatch(/^account /)
  })

  test.each([
    ['payment.delivered', { id: 'Transaction:1' }, undefined],
    ['payment.failed', { id: 'Transaction:1' }, /failure/],
    ['payment.lost', { id: 'Transaction:1' }, /type/],
    ['deposit.reversed', { depositId: 'd-1' }, /failure/],
  ])('of an event of type %s with %j is accepted, or rejected with the reason', (type, data, fault) => {
    const event = { id: 'e-1', type, occurredAt: '2026-11-22T12:00:00Z', data }
    const read = readBody(ConnectorEvent, event)
    if (fault) expect(read.fault).toMatch(fault)
    else expect(read).toEqual({ value: event })
  })
})

test.each([
  ['0', 0n],
  ['-125000', -125000n],
  ['9223372036854775807', 9223372036854775807n],
  ['9223372036854775808', undefined],
  ['1e3', undefined],
  ['', undefined],
])('the digits %j are parsed as %s', (digits, amount) => {
  expect(parseDigits(digits)).toBe(amount)
})

test('a connector call is signed with its method, its path and the id of the created record', () => {
  expect(callSigningId('GET', '/payments/Transaction:1')).toBe('GET /payments/Transaction:1')
  expect(callSigningId('POST', '/payments', 'Transaction:1')).toBe('POST /payments Transaction:1')
})
