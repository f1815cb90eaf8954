import { expect, test } from 'vitest'
import { ACH_CHANGE_REASONS, ACH_RETURN_REASONS } from './ach-reasons.ts'
import {
  describeAchReason,
  isReturnOfPayment,
  toAchFailure,
  toFailure,
  toIsoFailure,
} from './failure-reasons.ts'
import { ISO_REASONS } from './iso-reasons.ts'
import { findIsoStatus, ISO_STATUSES } from './iso-statuses.ts'

const codes = (letter: string, numbers: readonly (readonly [number, number])[]) =>
  numbers.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${letter}${String(from + index).padStart(2, '0')}`),
  )

test('every return reason that NACHA assigns has a description, including contested and dishonored returns', () => {
  expect(Object.keys(ACH_RETURN_REASONS)).toEqual(
    codes('R', [
      [1, 47],
      [50, 53],
      [61, 77],
      [80, 85],
    ]).filter((code) => !['R48', 'R49'].includes(code)),
  )
})

test('every ACH notification of change from C01 to C14, and every refusal, has a description', () => {
  expect(Object.keys(ACH_CHANGE_REASONS)).toEqual(
    codes('C', [
      [1, 14],
      [61, 69],
    ]),
  )
  expect(describeAchReason('C01', '1918171614')).toBe('C01: The account number is wrong; 1918171614')
})

test('only ACH return codes about payments end a payment; codes about returns and unknown codes do not', () => {
  expect(['R01', 'R17', 'R29', 'R39', 'R53', 'R85'].map(isReturnOfPayment)).toEqual(Array(6).fill(true))
  expect(['R61', 'R68', 'R70', 'R74', 'R77', 'R48', 'R99', 'C01', 'toString'].map(isReturnOfPayment)).toEqual(
    Array(9).fill(false),
  )
})

test('a payment failure has its code, its description, and the additional text of the bank', () => {
  expect(toIsoFailure({ code: 'AC04', text: 'closed in May' })).toEqual({
    code: 'COUNTERPARTY_POST_TX_FAILED',
    message: 'AC04: The account is closed; closed in May',
  })
  expect(toIsoFailure({ code: 'DUPL-FILE', text: null }).message).toBe('DUPL-FILE')
  expect(toIsoFailure({ code: null, text: 'no' }).message).toBe('no')
  expect(toIsoFailure({ code: 'constructor', text: null }).message).toBe('constructor')
  expect(toIsoFailure(null).message).toBe('The bank gave no reason')
  expect(toAchFailure('R85', null)).toEqual({
    code: 'QUOTE_EXECUTION_FAILED',
    message: 'R85: A payment abroad was coded as domestic',
  })
})

test('descriptions of bank reason codes are short and start with a capital letter', () => {
  const descriptions = Object.entries({ ...ISO_REASONS, ...ACH_RETURN_REASONS, ...ACH_CHANGE_REASONS })
  expect(
    descriptions.filter(([code, text]) => !/^[A-Z0-9]{3,4}$/.test(code) || !/^[A-Z][^.]{5,90}$/.test(text)),
  ).toEqual([])
  expect(Object.keys(ISO_REASONS).length).toBeGreaterThan(300)
})

test('an ISO 20022 status that is not final leaves a payment in progress, and a blocked payment waits for manual review', () => {
  const events = Object.entries(ISO_STATUSES).map(([code, { event }]) => [code, event] as const)
  const codesFor = (effect: string | null) =>
    events.filter(([, event]) => event === effect).map(([code]) => code)
  expect(codesFor('deliver')).toEqual(['ACSC', 'ACCC', 'CPUC'])
  expect(codesFor('fail')).toEqual(['RJCT'])
  expect(codesFor('cancel')).toEqual(['CANC'])
  expect(codesFor(null)).toEqual(['PART', 'BLCK'])
  expect(codesFor('accept')).toEqual(expect.arrayContaining(['PATC', 'ACIS', 'ACWP', 'ACSP', 'PDNG', 'RCVD']))
  expect(findIsoStatus('BLCK')?.needsPerson).toBe(true)
  expect(findIsoStatus('toString')).toBe(undefined)
})

test('a return reason in a statement counts as an ACH code if NACHA assigns it to payment returns, and as an ISO 20022 code otherwise', () => {
  expect(toFailure({ code: 'R03', text: 'NO ACCOUNT' })).toEqual(toAchFailure('R03', 'NO ACCOUNT'))
  for (const reason of [{ code: 'R61', text: null }, { code: 'AC04', text: null }, null])
    expect(toFailure(reason)).toEqual(toIsoFailure(reason))
})
