import { CURRENCIES } from '@countersign/contract/core/currencies'
import { findWord, keysOf, present } from '@countersign/contract/core/objects'
import { PAYMENT_RAILS } from '@countersign/contract/core/rails'
import {
  HOLD_BANKING_DAYS_MAX,
  VELOCITY_PERIODS,
  VELOCITY_SUBJECTS,
} from '@countersign/contract/payments/risk-config'
import { getDecimals } from '../../ui/currency-decimals.ts'
import { formatAmountError, formatFigures, parseSmallestUnits } from '../../ui/money-format.ts'
import { formatConstant } from '../../ui/status-meaning.ts'
import type { RuleField, RuleRow } from './rule-rows.tsx'
import type { Config } from './settings-form.tsx'

type Holds = Config['riskConfig']['fundsHolds']
type Limits = Config['riskConfig']['velocityLimits']
type RailMarks = Config['watchConfig']['railMarks']
type PositionMarks = Config['watchConfig']['positionMarks']

const AGE_DAYS_MAX = 3_650
const COUNT_MAX = 1_000_000

const CURRENCY_CHOICES = keysOf(CURRENCIES).map((code) => ({ value: code, label: code }))

function buildChoices(values: readonly string[], emptyLabel?: string) {
  const choices = values.map((value) => ({ value, label: formatConstant(value) }))
  return emptyLabel === undefined ? choices : [{ value: '', label: emptyLabel }, ...choices]
}

/** Parses an integer. Undefined if it is not between `min` and `max`. */
function parseInteger(text: string, min: number, max: number): number | undefined {
  const value = Number(text)
  return /^\d+$/.test(text.trim()) && value >= min && value <= max ? value : undefined
}

/** Parses an amount, possibly negative, to the smallest unit. Undefined if it is not an amount. */
function parseSignedUnits(text: string, code: string): bigint | undefined {
  const [, minus, digits = ''] = /^\s*([-−])?(.*)$/s.exec(text) ?? []
  const units = parseSmallestUnits(digits, getDecimals(code))
  return minus === undefined || units === undefined ? units : -units
}

function formatDraftAmount(amount: bigint | undefined, code: string): string {
  return amount === undefined ? '' : formatFigures({ amount, decimals: getDecimals(code) })
}

function checkInteger(name: string, min: number, max: number, isRequired: boolean) {
  return ({ [name]: text = '' }: RuleRow): string | undefined =>
    (text === '' && !isRequired) || parseInteger(text, min, max) !== undefined
      ? undefined
      : `Enter a whole number from ${min} to ${max}.`
}

function checkAmount({ currency = '' }: RuleRow, text: string, min: bigint): string | undefined {
  const units = parseSignedUnits(text, currency)
  if (units === undefined) return formatAmountError(getDecimals(currency))
  return units < min ? `Enter at least ${formatDraftAmount(min, currency)}.` : undefined
}

export const HOLD_FIELDS: readonly RuleField[] = [
  {
    name: 'bankingDays',
    label: 'Full banking days after arrival',
    findError: checkInteger('bankingDays', 1, HOLD_BANKING_DAYS_MAX, true),
  },
  {
    name: 'currency',
    label: 'Currency',
    choices: [{ value: '', label: 'Any currency' }, ...CURRENCY_CHOICES],
  },
  { name: 'paymentRail', label: 'Network', choices: buildChoices(PAYMENT_RAILS, 'Any network') },
  {
    name: 'minAmount',
    label: 'Minimum amount',
    findError: (row) => {
      const { currency = '', minAmount = '' } = row
      if (minAmount === '') return undefined
      return currency === '' ? 'Choose the currency of the amount.' : checkAmount(row, minAmount, 1n)
    },
  },
  {
    name: 'customerAgeDaysMax',
    label: 'Maximum customer age (days)',
    findError: checkInteger('customerAgeDaysMax', 0, AGE_DAYS_MAX, false),
  },
]

export const NEW_HOLD: RuleRow = {
  bankingDays: '2',
  currency: '',
  paymentRail: '',
  minAmount: '',
  customerAgeDaysMax: '',
}

export function toHoldRows(holds: Holds): RuleRow[] {
  return holds.map(({ bankingDays, currency = '', paymentRail = '', minAmount, customerAgeDaysMax }) => ({
    bankingDays: String(bankingDays),
    currency,
    paymentRail,
    minAmount: formatDraftAmount(minAmount, currency),
    customerAgeDaysMax: customerAgeDaysMax === undefined ? '' : String(customerAgeDaysMax),
  }))
}

/** Converts valid rows to hold rules. */
export function fromHoldRows(rows: readonly RuleRow[]): Holds {
  return rows.map(({ bankingDays, currency = '', paymentRail, minAmount = '', customerAgeDaysMax = '' }) => ({
    bankingDays: Number(bankingDays),
    ...present({
      currency: currency === '' ? undefined : currency,
      paymentRail: findWord(PAYMENT_RAILS, paymentRail),
      minAmount: parseSignedUnits(minAmount, currency),
      customerAgeDaysMax: parseInteger(customerAgeDaysMax, 0, AGE_DAYS_MAX),
    }),
  }))
}

const isSameLimit = (first: RuleRow, second: RuleRow) =>
  (['subject', 'period', 'currency'] as const).every((name) => first[name] === second[name])

export const LIMIT_FIELDS: readonly RuleField[] = [
  {
    name: 'subject',
    label: 'Applies to',
    choices: buildChoices(VELOCITY_SUBJECTS),
    findError: (row, otherRows) =>
      otherRows.some((otherRow) => isSameLimit(otherRow, row))
        ? 'Another limit has the same subject, period and currency.'
        : undefined,
  },
  { name: 'period', label: 'Period', choices: buildChoices(VELOCITY_PERIODS) },
  { name: 'currency', label: 'Currency', choices: CURRENCY_CHOICES },
  {
    name: 'maxCount',
    label: 'Maximum number of payments',
    findError: (row) =>
      row.maxCount === '' && row.maxAmount === ''
        ? 'Set a maximum number, a maximum total, or both.'
        : checkInteger('maxCount', 0, COUNT_MAX, false)(row),
  },
  {
    name: 'maxAmount',
    label: 'Maximum total',
    findError: (row) => (row.maxAmount ? checkAmount(row, row.maxAmount, 0n) : undefined),
  },
]

export const NEW_LIMIT: RuleRow = {
  subject: 'CUSTOMER',
  period: 'DAY',
  currency: 'USD',
  maxCount: '',
  maxAmount: '',
}

export function toLimitRows(limits: Limits): RuleRow[] {
  return limits.map(({ subject, period, currency, maxCount, maxAmount }) => ({
    subject,
    period,
    currency,
    maxCount: maxCount === undefined ? '' : String(maxCount),
    maxAmount: formatDraftAmount(maxAmount, currency),
  }))
}

/** Converts valid rows to limits. */
export function fromLimitRows(rows: readonly RuleRow[]): Limits {
  return rows.map(({ subject, period, currency = '', maxCount = '', maxAmount = '' }) => ({
    subject: findWord(VELOCITY_SUBJECTS, subject) ?? 'CUSTOMER',
    period: findWord(VELOCITY_PERIODS, period) ?? 'DAY',
    currency,
    ...present({
      maxCount: parseInteger(maxCount, 0, COUNT_MAX),
      maxAmount: parseSignedUnits(maxAmount, currency),
    }),
  }))
}

const POSITION_CURRENCY: RuleField = { name: 'currency', label: 'Currency', choices: CURRENCY_CHOICES }

/** Fields of a rail's low-water marks. `rails` are the names of the platform's rails. */
export function buildRailMarkFields(rails: readonly string[]): readonly RuleField[] {
  return [
    {
      name: 'rail',
      label: 'Rail',
      choices: rails.map((rail) => ({ value: rail, label: rail })),
      findError: ({ rail }) => (rail === '' ? 'Choose a rail.' : undefined),
    },
    POSITION_CURRENCY,
    {
      name: 'amount',
      label: 'Low-water mark',
      findError: (row) => checkAmount(row, row.amount ?? '', 0n),
    },
  ]
}

export const POSITION_MARK_FIELDS: readonly RuleField[] = [
  POSITION_CURRENCY,
  {
    name: 'amount',
    label: 'Low-water mark (negative for a short position)',
    findError: ({ amount = '', currency = '' }) =>
      parseSignedUnits(amount, currency) === undefined ? formatAmountError(getDecimals(currency)) : undefined,
  },
]

export const NEW_MARK: RuleRow = { currency: 'USD', amount: '' }

export function toRailMarkRows(marks: RailMarks): RuleRow[] {
  return marks.map(({ rail, currencyCode, amount }) => ({
    rail,
    currency: currencyCode,
    amount: formatDraftAmount(amount, currencyCode),
  }))
}

/** Converts valid rows to low-water marks of rails. */
export function fromRailMarkRows(rows: readonly RuleRow[]): RailMarks {
  return fromPositionMarkRows(rows).map((mark, index) => ({ ...mark, rail: rows[index]?.rail ?? '' }))
}

export function toPositionMarkRows(marks: PositionMarks): RuleRow[] {
  return marks.map(({ currencyCode, amount }) => ({
    currency: currencyCode,
    amount: formatDraftAmount(amount, currencyCode),
  }))
}

/** Converts valid rows to low-water marks of positions. */
export function fromPositionMarkRows(rows: readonly RuleRow[]): PositionMarks {
  return rows.map(({ currency = '', amount = '' }) => ({
    currencyCode: currency,
    amount: parseSignedUnits(amount, currency) ?? 0n,
  }))
}
