import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isMissing } from '../data/client.ts'
import { Page } from './page.tsx'
import { QueryResult } from './read.tsx'
import { EmptyState } from './states.tsx'

/**
 * The page of a record: placeholder lines while loading, a message if the record does not exist, or the
 * error.
 */
export function RecordPage<Data>(props: {
  readonly query: UseQueryResult<Data>
  /** The title while the record is loading. */
  readonly title: string
  readonly parent: { readonly title: string; readonly to: string }
  /** Why the record may not exist. */
  readonly missing?: string
  readonly children: (record: Data) => ReactNode
}) {
  const { query, title, parent, missing = NOWHERE, children } = props
  if (query.data !== undefined) return children(query.data)
  return (
    <Page title={title} parent={parent} isUnread>
      {isMissing(query.error) ? (
        <EmptyState title={`${title} not found`}>{missing}</EmptyState>
      ) : (
        <QueryResult query={query} lines={8}>
          {() => null}
        </QueryResult>
      )}
    </Page>
  )
}

const NOWHERE = 'This platform has no record of that id. Check the address of this page.'
