import type { AuditEvent as AuditSchema } from '@countersign/contract/operation/audit-events'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { countersign } from '../../data/client.ts'
import { Actor } from '../../ui/actor.tsx'
import { describeCall } from '../../ui/call-words.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Raw } from '../../ui/raw.tsx'
import { Readable } from '../../ui/readable.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordLink } from '../../ui/record-link.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { listChanges } from './changes.ts'

type Entry = Static<typeof AuditSchema>

const route = getRouteApi('/audit/$auditEventId')
const PARENT = { title: 'Audit trail', to: '/audit' }

/** A recorded change: its caller, time and origin, and the differences. */
export function AuditPage() {
  const { auditEventId } = route.useParams()
  const query = useQuery({
    queryKey: ['audit', 'one', auditEventId],
    queryFn: () => countersign.auditEvents.get(auditEventId),
  })
  return (
    <RecordPage query={query} title="Entry" parent={PARENT}>
      {(record) => <EntryDetail entry={record} />}
    </RecordPage>
  )
}

function EntryDetail({ entry }: { readonly entry: Entry }) {
  return (
    <Page title={describeCall(entry.operation)} parent={PARENT}>
      <RecordId id={entry.id} />
      <div className="columns">
        <Changes entry={entry} />
        <About entry={entry} />
      </div>
    </Page>
  )
}

function About({ entry }: { readonly entry: Entry }) {
  const { objectId, customerId, httpRequestId } = entry
  return (
    <Panel title="About">
      <Facts
        items={[
          ['Caller', <Actor key="actor" actor={entry.actor} />],
          ['At', <Time key="at" at={entry.at} />],
          ['Record', objectId && <RecordLink key="record" id={objectId} />],
          [
            'Customer',
            customerId && (
              <RecordLink key="customer" id={customerId}>
                <CustomerName id={customerId} />
              </RecordLink>
            ),
          ],
          [
            'Signed by',
            entry.walletSessionId && <RecordId key="session" id={entry.walletSessionId} isShort />,
          ],
          ['From', entry.address],
          ['Program', entry.userAgent],
          [
            'Request',
            <TextLink key="request" to={`/requests/${encodeURIComponent(httpRequestId)}`}>
              <span className="id">{httpRequestId}</span>
            </TextLink>,
          ],
        ]}
      />
    </Panel>
  )
}

function Changes({ entry: { before, after } }: { readonly entry: Entry }) {
  const changes = listChanges(before, after)
  const isComparison = before !== undefined
  return (
    <Panel title={isComparison ? 'Before and after' : 'Sent or created data'}>
      {changes.length === 0 ? (
        <span className="soft">No record was changed by this call.</span>
      ) : (
        <div className="stacked">
          <div
            className="comparison"
            role="region"
            aria-label="Comparison"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
            tabIndex={0}
          >
            <table>
              <thead>
                <tr>
                  <th scope="col">What</th>
                  {isComparison && <th scope="col">Before</th>}
                  <th scope="col">{isComparison ? 'After' : 'Value'}</th>
                </tr>
              </thead>
              <tbody>
                {changes.map((change) => (
                  <tr key={change.name}>
                    <th scope="row">{change.name}</th>
                    {isComparison && (
                      <td>
                        <Readable value={change.before} />
                      </td>
                    )}
                    <td>
                      <Readable value={change.after} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Raw value={{ before, after }} />
        </div>
      )}
    </Panel>
  )
}
