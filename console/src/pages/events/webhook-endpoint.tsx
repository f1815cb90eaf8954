import { Alert, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useIsSandbox, useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Loading } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'

type TestResult = Awaited<ReturnType<typeof countersign.sandbox.testWebhook>>

/** The webhook URL, with a button to test it. */
export function Endpoint() {
  const config = useQuery({ queryKey: ['config'], queryFn: () => countersign.config.get() })
  const client = useQueryClient()
  const isSandbox = useIsSandbox()
  const disabledReason = useMissingPermission('TRANSACT')
  const [result, setResult] = useState<TestResult>()
  const endpoint = config.data?.webhookEndpoint
  const test = async () => {
    setResult(undefined)
    setResult(await countersign.sandbox.testWebhook())
    await client.invalidateQueries({ queryKey: ['events'] })
  }
  return (
    <section className="panel" aria-label="Endpoint">
      <div className="body">
        <Group justify="space-between" gap="sm">
          <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
            {config.isPending ? (
              <Loading lines={1} />
            ) : endpoint ? (
              <span className="anywhere">
                Events are delivered to <strong>{endpoint}</strong>.
              </span>
            ) : (
              'No endpoint is set. Events are kept and can be delivered later.'
            )}
            <div>
              <TextLink to="/settings" search={{ part: 'webhook' }}>
                Endpoint and secrets
              </TextLink>
            </div>
          </div>
          <ActionButton
            label="Send a test"
            successText={undefined}
            disabledReason={disabledReason ?? testDisabledReason(isSandbox, endpoint ?? undefined)}
            act={test}
          />
        </Group>
        {result && <TestResultNotice result={result} close={() => setResult(undefined)} />}
      </div>
    </section>
  )
}

function testDisabledReason(isSandbox: boolean, endpoint: string | undefined): string | undefined {
  if (!isSandbox) return 'Tests are sent in a sandbox. In production, saving the endpoint sends a TEST event.'
  return endpoint === undefined ? 'Set an endpoint in the settings first.' : undefined
}

function TestResultNotice({ result, close }: { readonly result: TestResult; readonly close: () => void }) {
  const { response_status: status, response_body: body, error, event_id: eventId } = result
  const isReceived = status >= 200 && status < 300
  return (
    <Alert
      mt="sm"
      color={isReceived ? 'green' : 'red'}
      variant="light"
      role="status"
      title={isReceived ? 'Received' : 'Not received'}
      withCloseButton
      closeButtonLabel="Close"
      onClose={close}
    >
      <span className="anywhere">
        {status === 0 ? `No response: ${error ?? 'unknown'}.` : `The endpoint responded ${status}.`}
        {body ? ` “${body}” ` : ' '}
        <TextLink to={`/events/${eventId}`}>The event</TextLink>
      </span>
    </Alert>
  )
}
