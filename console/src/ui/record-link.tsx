import { pageOfId } from '../app/page-paths.ts'
import { shortId } from './record-id.tsx'
import { TextLink } from './text-link.tsx'

/** An id that leads to the page of its record, where there is one. */
export function RecordLink({ id, children }: { readonly id: string; readonly children?: React.ReactNode }) {
  const to = pageOfId(id)
  const text = children ?? <span className="id">{shortId(id)}</span>
  return to === undefined ? <span title={id}>{text}</span> : <TextLink to={to}>{text}</TextLink>
}
