import { findPagePathById } from '../app/page-paths.ts'
import { shortenId } from './record-id.tsx'
import { TextLink } from './text-link.tsx'

/** An id, linked to the record's page if there is one. */
export function RecordLink({ id, children }: { readonly id: string; readonly children?: React.ReactNode }) {
  const to = findPagePathById(id)
  const text = children ?? <span className="id">{shortenId(id)}</span>
  return to === undefined ? <span title={id}>{text}</span> : <TextLink to={to}>{text}</TextLink>
}
