import { toOwnUuid } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'

/**
 * Converts the ids in a row, or in some of its columns, to uuids. Text written by people, and ids within
 * JSON, are unchanged. Throws if an id is malformed, which would be a bug.
 */
export function toStoredRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const stored = { ...row }
  for (const column in stored) if (isIdColumn(column)) stored[column] = toStoredValue(column, stored[column])
  return stored
}

function toStoredValue(column: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map((item) => toStoredValue(column, item))
  if (typeof value !== 'string') throw new Error(`${column} holds ids, not a ${typeof value}`)
  return toOwnUuid(value)
}
