import { type TObject, type TProperties, Type } from 'typebox'
import type { Permission } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'

/** The parts of a list's declaration that its CSV file shares. */
interface ListDeclaration<
  P extends Permission,
  Path extends string,
  Query extends TProperties,
  Codes extends readonly ErrorCode[],
> {
  readonly permission: P
  readonly path: Path
  readonly tag: string
  readonly query: TObject<Query>
  readonly errors: Codes
}

/**
 * Declares a list's CSV file, at the list's path plus `.csv`. It contains all `rows` (`customers`) and has
 * the same filters and permission as the list, but is not available with customer tokens. If the path has
 * parameters, add `params` to the result.
 */
export function fileOfList<
  P extends Permission,
  const Path extends string,
  Query extends TProperties,
  const Codes extends readonly ErrorCode[],
>(list: ListDeclaration<P, Path, Query, Codes>, rows: string) {
  const { permission, path, tag, query, errors } = list
  return {
    auth: 'platform',
    permission,
    method: 'GET',
    path: `${path}.csv`,
    tag,
    summary: `Download ${rows} as a CSV file`,
    description:
      `Exports all matching ${rows} for a spreadsheet, as one stream of any length, in the order of the ` +
      'list. Each field of the record has one column, as docs/books.md describes. If the download breaks ' +
      'off, the file is incomplete. Text from other parties that a spreadsheet would treat as a formula ' +
      'gets a leading apostrophe.',
    query: Type.Omit(query, LIST_ONLY_PARAMETERS),
    responses: { 200: null },
    texts: ['csv'],
    fileRows: rows,
    errors,
  } as const
}

/** Query parameters that make no sense for a file with all rows. */
const LIST_ONLY_PARAMETERS = ['limit', 'cursor', 'includeNames'] as const
