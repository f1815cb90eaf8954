import { describe, expect, test } from 'vitest'
import { CURRENCIES, isKnownCurrency } from '../core/currencies.ts'
import {
  ACCOUNT_TYPES,
  accountType,
  EXTERNAL_ACCOUNT_CREATE_INFO,
  isAccountType,
  PAYMENT_ACCOUNT_INFO,
  primaryIdentifier,
} from './account-types.ts'

const names = Object.keys(ACCOUNT_TYPES).filter(isAccountType)

describe('the table of account types', () => {
  test.each(names)('%s is identified by its own members', (name) => {
    const { fields, paymentOnly, identifiedBy } = accountType(name)
    for (const member of identifiedBy) expect(Object.keys(fields ?? paymentOnly ?? {})).toContain(member)
    if (fields) expect(identifiedBy.length).toBeGreaterThan(0)
  })

  test.each(names)('%s holds known currencies', (name) => {
    expect(accountType(name).currencies.length).toBeGreaterThan(0)
    for (const code of accountType(name).currencies) expect(isKnownCurrency(code)).toBe(true)
  })

  test('pays to every type, and adds every type that asks for fields', () => {
    expect([...PAYMENT_ACCOUNT_INFO.keys()]).toEqual(names)
    expect(names.filter((name) => !EXTERNAL_ACCOUNT_CREATE_INFO.has(name))).toEqual([
      'ARS_ACCOUNT',
      'EMBEDDED_WALLET',
    ])
  })

  test('has an account type of its own for every fiat currency', () => {
    for (const [code, { kind }] of Object.entries(CURRENCIES))
      if (kind === 'fiat') expect(names).toContain(`${code}_ACCOUNT`)
  })

  test('takes the first identifying member that is given as the primary identifier', () => {
    const bank = { accountType: 'SWIFT_ACCOUNT', iban: 'GB29NWBK60161331926819' } as const
    expect(primaryIdentifier(bank)).toBe('GB29NWBK60161331926819')
    expect(primaryIdentifier({ ...bank, accountNumber: '1002' } as typeof bank)).toBe('1002')
    expect(primaryIdentifier({ accountType: 'SWIFT_ACCOUNT' })).toBeUndefined()
  })
})
