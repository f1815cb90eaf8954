import { Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Secret } from './secret.tsx'
import { SettingsForm } from './settings-form.tsx'
import { WebhookEndpoints } from './webhook-endpoints.tsx'

/** The time for which the previous secret stays valid. */
const PREVIOUS_SECRET_SECONDS = 86_400

/** The URL that receives events, and the secret with which they are signed. */
export function WebhookSettings() {
  return (
    <Stack gap="lg">
      <SettingsForm
        title="Endpoint"
        text="Every event is sent to this URL, signed according to Standard Webhooks. A new endpoint receives a TEST event immediately."
        createDraft={({ webhookEndpoint }) => ({ url: webhookEndpoint ?? '' })}
        buildChange={({ url }) => ({ webhookEndpoint: url === '' ? null : url })}
      >
        {({ url }, set) => (
          <TextInput
            label="Address"
            description="Leave it empty to send no webhooks. The event feed is available either way."
            type="url"
            placeholder="https://example.com/webhooks"
            value={url}
            onChange={({ currentTarget }) => set({ url: currentTarget.value })}
          />
        )}
      </SettingsForm>
      <Secrets />
      <WebhookEndpoints />
    </Stack>
  )
}

function Secrets() {
  const disabledReason = useMissingPermission('MANAGE')
  const client = useQueryClient()
  const key = ['webhook-secrets']
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => countersign.webhookSecrets.list(),
    enabled: disabledReason === undefined,
  })
  const replace = (formerValidSeconds: number) => async () => {
    await countersign.webhookSecrets.create({ formerValidSeconds })
    await client.invalidateQueries({ queryKey: key })
  }
  return (
    <Panel
      title="Secret"
      actions={
        <ActionButton
          label="Replace the secret"
          successText={undefined}
          disabledReason={disabledReason}
          act={replace(PREVIOUS_SECRET_SECONDS)}
          question={{
            title: 'Replace the secret?',
            text: 'New events will be signed with a new secret. For one day they are also signed with the current secret, so that you can update your server.',
          }}
        />
      }
    >
      {disabledReason && <Text c="dimmed">{disabledReason}</Text>}
      {error && <ErrorState error={error} />}
      {!disabledReason && !error && !data && <Loading lines={2} />}
      <Stack>
        {data?.data.map(({ id, secret, createdAt, expiresAt }) => (
          <div key={id}>
            <Secret label={expiresAt ? 'Replaced' : 'Current'} value={secret} />
            <Text size="sm" c="dimmed">
              Created <Time at={createdAt} />
              {expiresAt && (
                <>
                  , valid until <Time at={expiresAt} />
                </>
              )}
            </Text>
          </div>
        ))}
      </Stack>
    </Panel>
  )
}
