import { isObject } from '@countersign/contract/core/decode'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'
import { toPlainText } from '../terminal/table.ts'

const STEP = '  '

/**
 * Formats a record as lines: one field per line, nested fields indented. Amounts with a currency are shown in
 * whole units.
 */
export function describeRecord(record: unknown, indent = ''): string[] {
  if (Array.isArray(record))
    return record.flatMap((item) =>
      isObject(item) || Array.isArray(item)
        ? [`${indent}-`, ...describeRecord(item, indent + STEP)]
        : [`${indent}- ${toText(item)}`],
    )
  if (!isObject(record)) return [`${indent}${toText(record)}`]
  const members = Object.entries(record).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...members.map(([name]) => toPlainText(name).length))
  return members.flatMap(([name, value]) => {
    const amount = formatIfAmount(value)
    if (amount === undefined && (isObject(value) || Array.isArray(value)))
      return [`${indent}${toPlainText(name)}`, ...describeRecord(value, indent + STEP)]
    return [`${indent}${toPlainText(name).padEnd(width)}  ${amount ?? toText(value)}`]
  })
}

function formatIfAmount(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.amount !== 'bigint' || !isObject(value.currency)) return undefined
  return formatAmount(value.amount, findCurrency(String(value.currency.code)))
}

function toText(value: unknown): string {
  return toPlainText(String(value))
}
