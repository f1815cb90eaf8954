import { describe, expect, test } from 'vitest'
import { CURRENCIES } from '../core/currencies.ts'
import { ACCOUNT_TYPES, accountType, isAccountType } from './account-types.ts'
import { INSTITUTIONS, institutionsOf } from './institutions.ts'

const NAMES = ['bankName', 'provider']

/** Its bank may be any of the world: its BIC identifies it. */
const FREE = ['SWIFT_ACCOUNT']

const types = Object.keys(ACCOUNT_TYPES).filter(isAccountType)
const asking = types.filter((name) => NAMES.some((one) => one in (accountType(name).fields ?? {})))

/** An account type's countries: its own, or those in its region. */
function countriesOf(name: (typeof types)[number]): readonly string[] {
  const { country, fields = {} } = accountType(name)
  if (country !== undefined) return [country]
  const { enum: regions } = fields.region as unknown as { enum: string[] }
  return regions
}

const HELD = asking
  .filter((name) => !FREE.includes(name))
  .flatMap((name) =>
    countriesOf(name).flatMap((country) =>
      accountType(name).currencies.map((currency) => [name, country, currency] as const),
    ),
  )

describe('banks and mobile money operators', () => {
  test('every account type that requires a name accepts only names on the list', () => {
    expect(asking.filter((name) => accountType(name).institution === undefined)).toEqual(FREE)
    for (const name of types) {
      const { institution, fields = {} } = accountType(name)
      if (institution !== undefined) expect(Object.keys(fields), name).toContain(institution)
    }
  })

  test.each(HELD)('%s in %s has several in %s', (_, country, currency) => {
    expect(institutionsOf({ country, currency }).length).toBeGreaterThanOrEqual(2)
  })

  test.each(HELD)('the examples of %s name some of them', (name, _, currency) => {
    const { institution, examples = [] } = accountType(name)
    const known = institutionsOf({ currency }).map(({ bankName }) => bankName)
    const named = examples.map((example) => example[institution!]).filter((one) => one !== undefined)
    expect(named).not.toEqual([])
    for (const one of named) expect(known).toContain(one)
  })

  test('are listed once, and only for countries and currencies with such an account type', () => {
    const held = new Set(HELD.map(([, country, currency]) => `${country} ${currency}`))
    expect(new Set(INSTITUTIONS.map(({ country, currency }) => `${country} ${currency}`))).toEqual(held)
    const keys = INSTITUTIONS.map(({ bankName, country }) => `${country} ${bankName}`)
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
    for (const { bankName, displayName, currency } of INSTITUTIONS) {
      expect(bankName).toMatch(/^\S(?:.{0,98}\S)?$/)
      expect(displayName).toMatch(/^\S(?:.{0,98}\S)?$/)
      expect(CURRENCIES).toHaveProperty(currency)
    }
  })
})
