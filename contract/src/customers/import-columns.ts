import type { JsonSchema } from '../core/decode.ts'
import { BusinessCustomerCreateRequest, IndividualCustomerCreateRequest } from './customers.ts'

/** A customer file's column: a field of the `POST /customers` body. */
export interface ImportColumn {
  /** The keys from the body down to the field; joined by dots they name the column. */
  readonly path: readonly string[]
  /** The cell is a list. */
  readonly isList: boolean
  /** The types of customer that have the field. */
  readonly customerTypes: readonly string[]
}

/** Separates the items of a list in a cell. */
export const LIST_SEPARATOR = '|'

/** The columns that a file must have, with a value in every row. */
export const REQUIRED_COLUMNS = ['platformCustomerId', 'customerType'] as const

/** Fields of a request that change nothing and have no column. */
const IGNORED: ReadonlySet<string> = new Set(['kycStatus', 'kybStatus'])

/** The columns by their names, from the schemas of `POST /customers`. */
export const IMPORT_COLUMNS: ReadonlyMap<string, ImportColumn> = columnsOf([
  ['INDIVIDUAL', IndividualCustomerCreateRequest],
  ['BUSINESS', BusinessCustomerCreateRequest],
])

function columnsOf(bodies: readonly (readonly [type: string, schema: JsonSchema])[]) {
  const columns = new Map<string, ImportColumn>()
  const add = (type: string, path: readonly string[], schema: JsonSchema): void => {
    if (schema.properties) {
      for (const [name, member] of Object.entries(schema.properties))
        if (!IGNORED.has(name)) add(type, [...path, name], member)
      return
    }
    const name = path.join('.')
    const customerTypes = [...(columns.get(name)?.customerTypes ?? []), type]
    columns.set(name, { path, isList: schema.type === 'array', customerTypes })
  }
  for (const [type, schema] of bodies) add(type, [], schema)
  return columns
}
