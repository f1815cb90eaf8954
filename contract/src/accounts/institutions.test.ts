import { describe, expect, test } from 'vitest'
import { CURRENCIES } from '../core/currencies.ts'
import { ACCOUNT_TYPES, accountType, isAccountType } from './account-types.ts'
import { findInstitutions, INSTITUTIONS } from './institutions.ts'

const NAME_FIELDS = ['bankName', 'provider']

/** Accepts any bank in the world, identified by its BIC. */
const UNRESTRICTED_TYPES = ['SWIFT_ACCOUNT']

const types = Object.keys(ACCOUNT_TYPES).filter(isAccountType)
const namedTypes = types.filter((name) =>
  NAME_FIELDS.some((field) => field in (accountType(name).fields ?? {})),
)

/** Lists an account type's countries: its own country, or the countries of its region. */
function listCountries(name: (typeof types)[number]): readonly string[] {
  const { country, fields = {} } = accountType(name)
  if (country !== undefined) return [country]
  const { enum: regions } = fields.region as unknown as { enum: string[] }
  return regions
}

const COMBINATIONS = namedTypes
  .filter((name) => !UNRESTRICTED_TYPES.includes(name))
  .flatMap((name) =>
    listCountries(name).flatMap((country) =>
      accountType(name).currencies.map((currency) => [name, country, currency] as const),
    ),
  )

describe('banks and mobile money operators', () => {
  test('every account type that requires a name accepts only names on the list', () => {
    expect(namedTypes.filter((name) => accountType(name).institution === undefined)).toEqual(
      UNRESTRICTED_TYPES,
    )
    for (const name of types) {
      const { institution, fields = {} } = accountType(name)
      if (institution !== undefined) expect(Object.keys(fields), name).toContain(institution)
    }
  })

  test.each(COMBINATIONS)('%s in %s has at least two institutions in %s', (_, country, currency) => {
    expect(findInstitutions({ country, currency }).length).toBeGreaterThanOrEqual(2)
  })

  test.each(COMBINATIONS)('the examples of %s use listed names', (name, _, currency) => {
    const { institution, examples = [] } = accountType(name)
    const known = findInstitutions({ currency }).map(({ bankName }) => bankName)
    const named = examples.map((example) => example[institution!]).filter((value) => value !== undefined)
    expect(named).not.toEqual([])
    for (const value of named) expect(known).toContain(value)
  })

  test('are listed once, and only for countries and currencies with such an account type', () => {
    const held = new Set(COMBINATIONS.map(([, country, currency]) => `${country} ${currency}`))
    expect(new Set(INSTITUTIONS.map(({ country, currency }) => `${country} ${currency}`))).toEqual(held)
    const keys = INSTITUTIONS.map(({ bankName, country }) => `${country} ${bankName}`)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
    for (const { bankName, displayName, currency } of INSTITUTIONS) {
      expect(bankName).toMatch(/^\S(?:.{0,98}\S)?$/)
      expect(displayName).toMatch(/^\S(?:.{0,98}\S)?$/)
      expect(CURRENCIES).toHaveProperty(currency)
    }
  })
})
