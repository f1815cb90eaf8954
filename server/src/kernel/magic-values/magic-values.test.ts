import { describe, expect, test } from 'vitest'
import { findBeneficiaryOutcome, findVerificationOutcome, isMagicSuffix, takeSuffix } from './magic-values.ts'

describe('the sandbox follows specification 4.16:', () => {
  test.each([
    ['001', 'PENDING'],
    ['002', 'REJECTED'],
    ['003', 'APPROVED'],
    ['', 'APPROVED'],
    ['toString', 'APPROVED'],
  ])('a customer with the suffix %j is %s', (suffix, status) => {
    expect(findVerificationOutcome(suffix)).toBe(status)
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
  ])('the holder of an account ending in %s is %s', (suffix, status) => {
    expect(findBeneficiaryOutcome(suffix)).toBe(status)
  })

  test.each([
    ['000123456102', '102'],
    ['ada.lovelace103@bank', '103'],
    ['$success.usd@host.example:8080', 'usd'],
    ['@', '@'],
    ['12', '12'],
  ])('the suffix of %s is %s', (identifier, suffix) => {
    expect(takeSuffix(identifier)).toBe(suffix)
  })

  test.each(['002', '007', '102', '107'])('the suffix %s selects an account scenario', (suffix) => {
    expect(isMagicSuffix(suffix)).toBe(true)
  })

  test.each(['000', '001', '008', '101', '108', '999'])(
    'the suffix %s selects no account scenario',
    (suffix) => {
      expect(isMagicSuffix(suffix)).toBe(false)
    },
  )
})
