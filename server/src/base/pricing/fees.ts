import { isKnownCurrency, type KnownCurrency } from '@countersign/contract/core/currencies'
import { parseJson } from '../json/json.ts'
import { type Ratio, toRatio } from './ratios.ts'

/** The fee paid by the sender of a payment. */
export interface Fee {
  /** In US dollars, charged in the sending currency at the rate of the payment. */
  readonly fixedUsd: Ratio
  /** A share of the sending amount, less than 1. */
  readonly variable: Ratio
}

/** The fee for a corridor, which is a pair of currencies; `*` stands for any currency. */
export interface FeeRule {
  readonly source: KnownCurrency | '*'
  readonly destination: KnownCurrency | '*'
  readonly fee: Fee
}

/** Rules for different corridors, in any order. */
export type FeeSchedule = readonly FeeRule[]

const NO_FEE: Fee = { fixedUsd: toRatio('0'), variable: toRatio('0') }
const DEFAULT_FEE: Fee = { fixedUsd: toRatio('0.10'), variable: toRatio('0.005') }

/**
 * The fee for one corridor. Order of precedence: the rule that names both currencies; then, for conversions,
 * the rule that names the source, the destination, or neither. Without a rule it is 0.10 USD and 0.5 %.
 * Within one currency there is no fee unless a rule names that currency on both sides.
 */
export function findFees(schedule: FeeSchedule, source: KnownCurrency, destination: KnownCurrency): Fee {
  const findFee = (from: FeeRule['source'], to: FeeRule['destination']) =>
    schedule.find((rule) => rule.source === from && rule.destination === to)?.fee
  const named = findFee(source, destination)
  if (named) return named
  if (source === destination) return NO_FEE
  return findFee(source, '*') ?? findFee('*', destination) ?? findFee('*', '*') ?? DEFAULT_FEE
}

const MEMBERS = ['source', 'destination', 'fixed', 'variable'] as const
/** Less than a million dollars, with a precision of a millionth of a cent. */
const FIXED = /^\d{1,6}(\.\d{1,8})?$/
/** Less than 1, with a precision of a billionth. */
const VARIABLE = /^0(\.\d{1,9})?$/

/**
 * Parses a schedule from JSON: `[{"source": "USD", "destination": "*", "fixed": "0.10", "variable":
 * "0.005"}]`. `problem` is an error message that starts with the position of the entry: `[0].source must be
 * …`.
 */
export function parseFees(text: string): { readonly schedule: FeeSchedule } | { readonly problem: string } {
  let entries: unknown
  try {
    entries = parseJson(text)
  } catch {
    return { problem: ' is not JSON' }
  }
  if (!Array.isArray(entries)) return { problem: ' must be a list' }
  const schedule: FeeRule[] = []
  for (const [index, entry] of entries.entries()) {
    const rule = parseRule(entry)
    if (typeof rule === 'string') return { problem: `[${index}]${rule}` }
    const duplicate = schedule.findIndex(
      ({ source, destination }) => source === rule.source && destination === rule.destination,
    )
    if (duplicate >= 0) return { problem: `[${index}] is for the same corridor as [${duplicate}]` }
    schedule.push(rule)
  }
  return { schedule }
}

function parseRule(entry: unknown): FeeRule | string {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return ' must be an object'
  const members = new Map<string, unknown>(Object.entries(entry))
  const unknownName = [...members.keys()].find((name) => !MEMBERS.some((member) => member === name))
  if (unknownName !== undefined) return ` has an unknown property "${unknownName.slice(0, 40)}"`
  const source = parseCurrency(members.get('source'))
  if (source === undefined) return '.source must be the code of a supported currency or "*"'
  const destination = parseCurrency(members.get('destination'))
  if (destination === undefined) return '.destination must be the code of a supported currency or "*"'
  const fixed = members.get('fixed')
  if (typeof fixed !== 'string' || !FIXED.test(fixed))
    return '.fixed must be US dollars as a decimal string, such as "0.10"'
  const variable = members.get('variable')
  if (typeof variable !== 'string' || !VARIABLE.test(variable))
    return '.variable must be a share from "0" to less than 1 as a decimal string, such as "0.005"'
  return { source, destination, fee: { fixedUsd: toRatio(fixed), variable: toRatio(variable) } }
}

function parseCurrency(code: unknown): FeeRule['source'] | undefined {
  return typeof code === 'string' && (code === '*' || isKnownCurrency(code)) ? code : undefined
}
