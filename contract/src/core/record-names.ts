import { type TSchema, Type } from 'typebox'
import { IdOfAny } from './ids.ts'
import { Page } from './schema.ts'
import { Personal } from './sensitivity.ts'

/**
 * The name of a customer or an account. An account is named by its holder, its bank or kind, and the last
 * four characters of its number.
 */
export const RecordName = Type.Object({
  id: IdOfAny(['Customer', 'InternalAccount', 'ExternalAccount']),
  name: Personal(Type.String()),
})

/** Spread into the query of a list that returns a `NamedPage`. */
export const namesQuery = {
  includeNames: Type.Optional(
    Type.Boolean({ default: false, description: 'Adds the `names` of the customers and accounts in `data`' }),
  ),
}

/** A page of a list that can include the names of the customers and accounts in its records. */
export function NamedPage<T extends TSchema>(item: T) {
  return Type.Object({
    ...Page(item).properties,
    names: Type.Optional(
      Type.Array(RecordName, {
        description: 'With `includeNames`: each name once, if the caller can read the record with that id',
      }),
    ),
  })
}
