import type { JsonSchema } from '../core/decode.ts'
import { BusinessCustomerCreateRequest, IndividualCustomerCreateRequest } from './customers.ts'

/** A column of a customer file, which corresponds to a field of the `POST /customers` body. */
export interface ImportColumn {
  /** The keys from the body to the field. Joined by dots, they are the column's name. */
  readonly path: readonly string[]
  /** True if a cell contains a list. */
  readonly isList: boolean
  /** The customer types that have this field. */
  readonly customerTypes: readonly string[]
}

/** Separates list items within a cell. */
export const LIST_SEPARATOR = '|'

/** Columns that must be present and filled in every row. */
export const REQUIRED_COLUMNS = ['platformCustomerId', 'customerType'] as const

/** Ignored request fields, which therefore have no column. */
const IGNORED: ReadonlySet<string> = new Set(['kycStatus', 'kybStatus'])

/** All columns by name, derived from the schemas of `POST /customers`. */
export const IMPORT_COLUMNS: ReadonlyMap<string, ImportColumn> = buildColumns([
  ['INDIVIDUAL', IndividualCustomerCreateRequest],
  ['BUSINESS', BusinessCustomerCreateRequest],
])

function buildColumns(bodies: readonly (readonly [type: string, schema: JsonSchema])[]) {
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
