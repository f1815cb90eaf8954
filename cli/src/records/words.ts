import { isObject } from '@countersign/contract/core/decode'
import { currencyOf, formatAmount } from '../terminal/amounts.ts'
import { toPlainText } from '../terminal/table.ts'

const STEP = '  '

/**
 * A record as lines: each field with its name, nested fields below it. Amounts with a currency are in whole
 * units.
 */
export function wordsOf(record: unknown, indent = ''): string[] {
  if (Array.isArray(record))
    return record.flatMap((item) =>
      isObject(item) || Array.isArray(item)
        ? [`${indent}-`, ...wordsOf(item, indent + STEP)]
        : [`${indent}- ${textOf(item)}`],
    )
  if (!isObject(record)) return [`${indent}${textOf(record)}`]
  const members = Object.entries(record).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...members.map(([name]) => toPlainText(name).length))
  return members.flatMap(([name, value]) => {
    const amount = amountIn(value)
    if (amount === undefined && (isObject(value) || Array.isArray(value)))
      return [`${indent}${toPlainText(name)}`, ...wordsOf(value, indent + STEP)]
    return [`${indent}${toPlainText(name).padEnd(width)}  ${amount ?? textOf(value)}`]
  })
}

function amountIn(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.amount !== 'bigint' || !isObject(value.currency)) return undefined
  return formatAmount(value.amount, currencyOf(String(value.currency.code)))
}

function textOf(value: unknown): string {
  return toPlainText(String(value))
}
