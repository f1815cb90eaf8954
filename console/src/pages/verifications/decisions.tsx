import { Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'
import { Time } from '../../ui/time.tsx'
import type { VerificationError } from './verification.ts'

const ROWS_MAX = 100

interface Holder {
  readonly id: string
  readonly name: string
}

/** Documents and data that the customer must provide or replace before an approval. */
export function Missing(props: {
  readonly errors: readonly VerificationError[]
  readonly holders: readonly Holder[]
}) {
  const { errors, holders } = props
  if (errors.length === 0) return null
  return (
    <Notice
      tone="waits"
      title={errors.length === 1 ? 'One thing is missing' : `${errors.length} things are missing`}
    >
      <ul className="bullets">
        {errors.map((error) => (
          <li key={`${error.resourceId} ${error.type} ${error.field ?? ''}`} className="anywhere">
            <ErrorWords error={error} holders={holders} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function ErrorWords({
  error,
  holders,
}: {
  readonly error: VerificationError
  readonly holders: readonly Holder[]
}) {
  const { reason, acceptedDocumentTypes, resourceId } = error
  const owner = holders.slice(1).find(({ id }) => id === resourceId)
  const accepted = acceptedDocumentTypes?.map(formatConstant).join(', ')
  return (
    <>
      {owner && <strong>{owner.name}: </strong>}
      {reason}
      {accepted && <span className="soft"> Accepted: {accepted}.</span>}
    </>
  )
}

/** All decisions with reviewer and reason. They are kept permanently. */
export function Decisions({ verificationId }: { readonly verificationId: string }) {
  const query = useQuery({
    queryKey: ['verifications', verificationId, 'decisions'],
    queryFn: () => countersign.verifications.decisions(verificationId, { limit: ROWS_MAX }),
  })
  return (
    <Panel title="Decisions so far">
      <QueryResult query={query} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <span className="soft">No decisions yet.</span>
          ) : (
            <Timeline bulletSize={12} lineWidth={2} active={data.length}>
              {data.map(({ id, decision, reason, decidedBy, createdAt, errors }) => (
                <Timeline.Item key={id} color={getColor(decision)} title={formatConstant(decision)}>
                  <div className="soft">
                    {formatConstant(decidedBy.type)}, <Time at={createdAt} />
                  </div>
                  {reason && <div className="anywhere">{reason}</div>}
                  {errors
                    // A rejection is also stored as an error with the same text, which is not repeated here.
                    .filter((error) => error.reason !== reason)
                    .map((error) => (
                      <div
                        key={`${error.resourceId} ${error.type} ${error.field ?? ''}`}
                        className="anywhere"
                      >
                        {error.reason}
                      </div>
                    ))}
                </Timeline.Item>
              ))}
            </Timeline>
          )
        }
      </QueryResult>
    </Panel>
  )
}

function getColor(decision: string): string {
  if (decision === 'APPROVE') return 'green'
  return decision === 'REJECT' ? 'red' : 'yellow'
}
