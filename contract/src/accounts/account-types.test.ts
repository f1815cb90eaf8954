import { describe, expect, test } from 'vitest'
import { CURRENCIES, isKnownCurrency } from '../core/currencies.ts'
import {
  ACCOUNT_TYPES,
  accountType,
  EXTERNAL_ACCOUNT_CREATE_INFO,
  getPrimaryIdentifier,
  isAccountType,
  PAYMENT_ACCOUNT_INFO,
} from './account-types.ts'

const names = Object.keys(ACCOUNT_TYPES).filter(isAccountType)

describe('the table of account types', () => {
  test.each(names)('%s is identified by its own fields', (name) => {
    const { fields, paymentOnly, identifiedBy } = accountType(name)
    for (const field of identifiedBy) expect(Object.keys(fields ?? paymentOnly ?? {})).toContain(field)
    if (fields) expect(identifiedBy.length).toBeGreaterThan(0)
  })

  test.each(names)('%s holds known currencies', (name) => {
    expect(accountType(name).currencies.length).toBeGreaterThan(0)
    for (const code of accountType(name).currencies) expect(isKnownCurrency(code)).toBe(true)
  })

  test('has payment instructions for every type, and requests for every type with fields', () => {
    expect([...PAYMENT_ACCOUNT_INFO.keys()]).toEqual(names)
    expect(names.filter((name) => !EXTERNAL_ACCOUNT_CREATE_INFO.has(name))).toEqual([
      'ARS_ACCOUNT',
      'EMBEDDED_WALLET',
    ])
  })

  test('has a separate account type for every fiat currency', () => {
    for (const [code, { kind }] of Object.entries(CURRENCIES))
      if (kind === 'fiat') expect(names).toContain(`${code}_ACCOUNT`)
  })

  test('uses the first given identifying field as the primary identifier', () => {
    const bank = { accountType: 'SWIFT_ACCOUNT', iban: 'GB29NWBK60161331926819' } as const
    expect(getPrimaryIdentifier(bank)).toBe('GB29NWBK60161331926819')
    expect(getPrimaryIdentifier({ ...bank, accountNumber: '1002' } as typeof bank)).toBe('1002')
    expect(getPrimaryIdentifier({ accountType: 'SWIFT_ACCOUNT' })).toBeUndefined()
  })
})
