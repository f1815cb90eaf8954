import type { JsonSchema } from '../core/decode.ts'
import { PayoutLineRequest } from './payout-batches.ts'

/** A payout file's column: the line field that its cells fill. */
export interface PayoutColumn {
  /** The names from the line down to the field; the column is called by them with dots. */
  readonly path: readonly string[]
  readonly isList: boolean
  readonly isInteger: boolean
}

/** The columns that a file must have, with a cell that is not empty in every row. */
export const REQUIRED_PAYOUT_COLUMNS = ['currency', 'amount'] as const

/** The columns by their names, from the schema of a line. */
export const PAYOUT_COLUMNS: ReadonlyMap<string, PayoutColumn> = columnsOf(PayoutLineRequest)

function columnsOf(line: JsonSchema): Map<string, PayoutColumn> {
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
