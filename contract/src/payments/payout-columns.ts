import type { JsonSchema } from '../core/decode.ts'
import { PayoutLineRequest } from './payout-batches.ts'

/** A column of a payout file, which fills a field of the line. */
export interface PayoutColumn {
  /** The keys from the line to the field. Joined by dots, they are the column's name. */
  readonly path: readonly string[]
  readonly isList: boolean
  readonly isInteger: boolean
}

/** Columns that must be present and filled in every row. */
export const REQUIRED_PAYOUT_COLUMNS = ['currency', 'amount'] as const

/** All columns by name, derived from the schema of a line. */
export const PAYOUT_COLUMNS: ReadonlyMap<string, PayoutColumn> = buildColumns(PayoutLineRequest)

function buildColumns(line: JsonSchema): Map<string, PayoutColumn> {
  const columns = new Map<string, PayoutColumn>()
  const add = (path: readonly string[], schema: JsonSchema): void => {
    const { properties, oneOf, type } = schema
    for (const member of oneOf ?? []) add(path, member)
    for (const [name, member] of Object.entries(properties ?? {})) add([...path, name], member)
    if (!properties && !oneOf)
      columns.set(path.join('.'), { path, isList: type === 'array', isInteger: type === 'integer' })
  }
  add([], line)
  return columns
}
