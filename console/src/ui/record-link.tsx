import { findPagePathById } from '../app/page-paths.ts'
import { shortId } from './record-id.tsx'
import { TextLink } from './text-link.tsx'

/** An id that links to the page of its record, if it has one. */
export function RecordLink({ id, children }: { readonly id: string; readonly children?: React.ReactNode }) {
  const to = findPagePathById(id)
  const text = children ?? <span className="id">{shortId(id)}</span>
  return to === undefined ? <span title={id}>{text}</span> : <TextLink to={to}>{text}</TextLink>
}
