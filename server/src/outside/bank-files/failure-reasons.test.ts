import { expect, test } from 'vitest'
import { ACH_CHANGE_REASONS, ACH_RETURN_REASONS } from './ach-reasons.ts'
import { achFailure, describeAchReason, failureOf, isoFailure, isReturnOfPayment } from './failure-reasons.ts'
import { ISO_REASONS } from './iso-reasons.ts'
import { ISO_STATUSES, isoStatus } from './iso-statuses.ts'

const codes = (letter: string, numbers: readonly (readonly [number, number])[]) =>
  numbers.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${letter}${String(from + index).padStart(2, '0')}`),
  )

test('every return reason that NACHA assigns, contested and dishonored ones too, is known in words', () => {
  expect(Object.keys(ACH_RETURN_REASONS)).toEqual(
    codes('R', [
      [1, 47],
      [50, 53],
      [61, 77],
      [80, 85],
    ]).filter((code) => !['R48', 'R49'].includes(code)),
  )
})

test('every notification of change from C01 to C14, and each refusal of one, has a description', () => {
  expect(Object.keys(ACH_CHANGE_REASONS)).toEqual(
    codes('C', [
      [1, 14],
      [61, 69],
    ]),
  )
  expect(describeAchReason('C01', '1918171614')).toBe('C01: The account number is wrong; 1918171614')
})

test('only returns of payments end payments: those about returns, and unknown codes, do not', () => {
  expect(['R01', 'R17', 'R29', 'R39', 'R53', 'R85'].map(isReturnOfPayment)).toEqual(Array(6).fill(true))
  expect(['R61', 'R68', 'R70', 'R74', 'R77', 'R48', 'R99', 'C01', 'toString'].map(isReturnOfPayment)).toEqual(
    Array(9).fill(false),
  )
})

test('a failure says its code, what it means, and what the bank adds', () => {
  expect(isoFailure({ code: 'AC04', text: 'closed in May' })).toEqual({
    code: 'COUNTERPARTY_POST_TX_FAILED',
    message: 'AC04: The account is closed; closed in May',
  })
  expect(isoFailure({ code: 'DUPL-FILE', text: null }).message).toBe('DUPL-FILE')
  expect(isoFailure({ code: null, text: 'no' }).message).toBe('no')
  expect(isoFailure({ code: 'constructor', text: null }).message).toBe('constructor')
  expect(isoFailure(null).message).toBe('The bank gave no reason')
  expect(achFailure('R85', null)).toEqual({
    code: 'QUOTE_EXECUTION_FAILED',
    message: 'R85: A payment that goes abroad was coded as a domestic one',
  })
})

test('reasons of the external code sets are short sentences of their own', () => {
  const words = Object.entries({ ...ISO_REASONS, ...ACH_RETURN_REASONS, ...ACH_CHANGE_REASONS })
  expect(
    words.filter(([code, text]) => !/^[A-Z0-9]{3,4}$/.test(code) || !/^[A-Z][^.]{5,90}$/.test(text)),
  ).toEqual([])
  expect(Object.keys(ISO_REASONS).length).toBeGreaterThan(300)
})

test('a status that is not final leaves a payment in progress, and a blocked payment waits for a person', () => {
  const events = Object.entries(ISO_STATUSES).map(([code, { event }]) => [code, event] as const)
  const of = (wanted: string | null) => events.filter(([, event]) => event === wanted).map(([code]) => code)
  expect(of('deliver')).toEqual(['ACSC', 'ACCC', 'CPUC'])
  expect(of('fail')).toEqual(['RJCT'])
  expect(of('cancel')).toEqual(['CANC'])
  expect(of(null)).toEqual(['PART', 'BLCK'])
  expect(of('accept')).toEqual(expect.arrayContaining(['PATC', 'ACIS', 'ACWP', 'ACSP', 'PDNG', 'RCVD']))
  expect(isoStatus('BLCK')?.needsPerson).toBe(true)
  expect(isoStatus('toString')).toBe(undefined)
})

test('a reason of a statement is one of ACH if NACHA assigns its code to returns of payments, else one of ISO 20022', () => {
  expect(failureOf({ code: 'R03', text: 'NO ACCOUNT' })).toEqual(achFailure('R03', 'NO ACCOUNT'))
  for (const reason of [{ code: 'R61', text: null }, { code: 'AC04', text: null }, null])
    expect(failureOf(reason)).toEqual(isoFailure(reason))
})
