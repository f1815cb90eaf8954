import { readRequestTime } from '@countersign/contract/operation/audit-events'
import type { LoggedRequest as RequestSchema } from '@countersign/contract/operation/request-log'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { findPagePathById } from '../../app/page-paths.ts'
import { countersign } from '../../data/client.ts'
import { Actor } from '../../ui/actor.tsx'
import { describeCall } from '../../ui/call-words.ts'
import { Facts } from '../../ui/facts.tsx'
import { formatFilterDay } from '../../ui/filters.tsx'
import { Json } from '../../ui/json.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { RecordId } from '../../ui/record-id.tsx'
import { RecordLink } from '../../ui/record-link.tsx'
import { RecordPage } from '../../ui/record-page.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { CopyButtons } from './copy-buttons.tsx'
import { HttpStatus } from './http-status.tsx'

type LoggedRequest = Static<typeof RequestSchema>

const route = getRouteApi('/requests/$httpRequestId')
const PARENT = { title: 'Requests', to: '/requests' }
const MISSING = 'It may be older than the log, a read by the console, or skipped under load.'

/** A logged request and its response. */
export function RequestPage() {
  const { httpRequestId } = route.useParams()
  const query = useQuery({
    queryKey: ['requests', 'one', httpRequestId],
    queryFn: () => countersign.requests.get(httpRequestId),
  })
  return (
    <RecordPage query={query} title="Request" parent={PARENT} missing={MISSING}>
      {(record) => <RequestDetail request={record} />}
    </RecordPage>
  )
}

function RequestDetail({ request }: { readonly request: LoggedRequest }) {
  return (
    <Page
      title={describeCall(request.operation)}
      aside={<HttpStatus status={request.status} />}
      actions={<CopyButtons request={request} />}
      parent={PARENT}
    >
      <Stack gap={4}>
        <span className="id anywhere">
          <strong>{request.method}</strong> {request.path}
        </span>
        <RecordId id={request.httpRequestId} />
      </Stack>
      <div className="columns">
        <div className="stacked">
          <Panel title="Request">
            <Body text={request.requestBody} none="No body." />
          </Panel>
          <Panel title="Response">
            <Body text={request.responseBody} none="No body." />
          </Panel>
        </div>
        <div className="stacked">
          <About request={request} />
          <Headers request={request} />
        </div>
      </div>
    </Page>
  )
}

function About({ request }: { readonly request: LoggedRequest }) {
  return (
    <Panel title="About">
      <Facts
        items={[
          ['At', <Time key="at" clock="real" at={request.at} />],
          ['Record', findRecordId(request)],
          ['Caller', <Actor key="actor" actor={request.actor} />],
          ['Error code', request.code && <code key="code">{request.code}</code>],
          ['Duration', `${request.durationMs.toLocaleString()} ms`],
          ['Query', request.query && <code className="anywhere">{request.query}</code>],
          ['From', request.address],
          [
            'Also',
            request.method !== 'GET' && (
              <TextLink key="trail" to="/audit" search={buildAuditFilters(request)}>
                Changes in the audit trail
              </TextLink>
            ),
          ],
        ]}
      />
    </Panel>
  )
}

/** Links to the record in the path of the call. */
function findRecordId({ path }: LoggedRequest) {
  const id = path.split('/').find((segment) => findPagePathById(segment) !== undefined)
  return id && <RecordLink id={id} />
}

/** The logged headers, which never include credentials. */
function Headers({ request }: { readonly request: LoggedRequest }) {
  const { idempotencyKey, userAgent, httpRequestId, callerRequestId } = request
  return (
    <Panel title="Headers">
      <Facts
        items={[
          ['Idempotency-Key', idempotencyKey],
          ['User-Agent', userAgent],
          ['X-Request-Id, sent', callerRequestId],
          ['X-Request-Id, in the response', httpRequestId],
        ]}
      />
    </Panel>
  )
}

/**
 * The filters that find this request in the audit trail. Callers may choose request ids and reuse them, so
 * the search starts on the day of the request.
 */
function buildAuditFilters({ httpRequestId, at }: LoggedRequest): Readonly<Record<string, string>> {
  return readRequestTime(httpRequestId) ? { httpRequestId } : { httpRequestId, from: formatFilterDay(at) }
}

/** A logged body: JSON, or plain text if it was truncated. */
function Body({ text, none }: { readonly text: string | undefined; readonly none: string }) {
  if (text === undefined || text === '') return <span className="soft">{none}</span>
  const parsed = tryParseJson(text)
  if (parsed === undefined)
    return (
      <pre
        className="id anywhere"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        style={{ whiteSpace: 'pre-wrap', maxHeight: '30rem', overflow: 'auto', margin: 0 }}
      >
        {text}
      </pre>
    )
  return <Json value={parsed} />
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
