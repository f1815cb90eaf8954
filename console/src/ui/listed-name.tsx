import { createContext, useContext } from 'react'
import { shortId } from './record-id.tsx'

/** The names that came with the rows of a list, by id. `DataTable` provides them. */
export const NamesContext = createContext<ReadonlyMap<string, string>>(new Map())

/** The name of a customer or account in a row of a list, without a further call. Without a name, the end of the id. `isWhole`: on several lines in place of cut. */
export function ListedName({ id, isWhole = false }: { readonly id: string; readonly isWhole?: boolean }) {
  const name = useContext(NamesContext).get(id)
  return (
    <span className={`${name === undefined ? 'id ' : ''}${isWhole ? 'whole' : 'clipped'}`} title={name ?? id}>
      {name ?? shortId(id)}
    </span>
  )
}
