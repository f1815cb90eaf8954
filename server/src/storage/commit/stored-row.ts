import { ownUuidOf } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'

/**
 * Converts a row's ids, or those in some of its columns, to uuids. People's text, and ids within JSON, stay
 * as they are. Throws if an id is malformed, which would be a bug.
 */
export function toStoredRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stored = { ...row }
  for (const column in stored) if (isIdColumn(column)) stored[column] = toStoredValue(column, stored[column])
  return stored
}

function toStoredValue(column: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((one) => toStoredValue(column, one))
  if (typeof value !== 'string') throw new Error(`${column} holds ids, not a ${typeof value}`)
  return ownUuidOf(value)
}
