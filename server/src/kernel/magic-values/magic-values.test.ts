import { describe, expect, test } from 'vitest'
import { beneficiaryOutcome, isMagicSuffix, suffixOf, verificationOutcome } from './magic-values.ts'

describe('the sandbox suffixes are those of specification 4.16', () => {
  test.each([
    ['001', 'PENDING'],
    ['002', 'REJECTED'],
    ['003', 'APPROVED'],
    ['', 'APPROVED'],
    ['toString', 'APPROVED'],
  ])('a customer whose suffix is %j is %s', (suffix, status) => {
    expect(verificationOutcome(suffix)).toBe(status)
  })

  test.each([
    ['101', 'MATCHED'],
    ['102', 'NOT_MATCHED'],
    ['103', 'PARTIAL_MATCH'],
    ['104', 'PENDING'],
    ['105', 'INVALID'],
    ['106', 'UNSUPPORTED'],
    ['107', 'CHECKED_BY_RECEIVING_FI'],
    ['108', 'MATCHED'],
    ['002', 'MATCHED'],
  ])('the holder of an account that ends in %s is %s', (suffix, status) => {
    expect(beneficiaryOutcome(suffix)).toBe(status)
  })

  test.each([
    ['000123456102', '102'],
    ['ada.lovelace103@bank', '103'],
    ['$success.usd@host.example:8080', 'usd'],
    ['@', '@'],
    ['12', '12'],
  ])('the suffix of %s is %s', (identifier, suffix) => {
    expect(suffixOf(identifier)).toBe(suffix)
  })

  test.each(['002', '007', '102', '107'])('%s selects a scenario of an account', (suffix) => {
    expect(isMagicSuffix(suffix)).toBe(true)
  })

  test.each(['000', '001', '008', '101', '108', '999'])('%s selects none', (suffix) => {
    expect(isMagicSuffix(suffix)).toBe(false)
  })
})
