import { CURRENCIES } from '@countersign/contract/core/currencies'
import { expect, test } from 'vitest'
import { getIso4217Decimals, ISO_4217_CODES } from './iso-4217.ts'

test('every fiat currency of the platform has the same decimals in ISO 4217', () => {
  const fiat = Object.entries(CURRENCIES).filter(([, { kind }]) => kind === 'fiat')
  expect(fiat.map(([code]) => [code, getIso4217Decimals(code)])).toEqual(
    fiat.map(([code, { decimals }]) => [code, decimals]),
  )
})

test('currencies with zero, three or four decimals are told apart from currencies with two', () => {
  expect(['JPY', 'ISK', 'KRW'].map(getIso4217Decimals)).toEqual([0, 0, 0])
  expect(['KWD', 'TND', 'BHD'].map(getIso4217Decimals)).toEqual([3, 3, 3])
  expect(['CLF', 'UYW'].map(getIso4217Decimals)).toEqual([4, 4])
  expect(['CHF', 'SEK', 'NOK', 'PLN', 'CZK', 'HUF', 'RON', 'AUD'].map(getIso4217Decimals)).toEqual(
    Array(8).fill(2),
  )
})

test('codes without minor units, and strings that are not currency codes, have no decimals', () => {
  expect(['XAU', 'XXX', 'XTS', 'USDC', 'eur', '', 'toString'].map(getIso4217Decimals)).toEqual(
    Array(7).fill(undefined),
  )
})

test('the list of ISO 4217 currencies consists of more than 170 valid codes', () => {
  expect(ISO_4217_CODES.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true)
  expect(ISO_4217_CODES.length).toBeGreaterThan(170)
})

test('no ISO 4217 currency is listed twice, so none can have two numbers of decimals', () => {
  expect(ISO_4217_CODES.filter((code, index) => ISO_4217_CODES.indexOf(code) !== index)).toEqual([])
})
