import { createContext, useContext } from 'react'
import { shortenId } from './record-id.tsx'

/** The names returned with a list's rows, by id. Provided by `DataTable`. */
export const NamesContext = createContext<ReadonlyMap<string, string>>(new Map())

/**
 * The name of a customer or account in a list row, without an additional request. Shows the end of the id if
 * there is no name. With `canWrap`, a long name wraps instead of being truncated.
 */
export function RecordName({ id, canWrap = false }: { readonly id: string; readonly canWrap?: boolean }) {
  const name = useContext(NamesContext).get(id)
  return (
    <span className={`${name === undefined ? 'id ' : ''}${canWrap ? 'whole' : 'clipped'}`} title={name ?? id}>
      {name ?? shortenId(id)}
    </span>
  )
}
