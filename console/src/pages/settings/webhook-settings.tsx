import { Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Secret } from './secret.tsx'
import { SettingsForm } from './settings-form.tsx'
import { WebhookEndpoints } from './webhook-endpoints.tsx'

/** The time for which the current secret stays valid next to a new one. */
const FORMER_SECONDS = 86_400

/** The destination of events, and the secret that signs them. */
export function WebhookSettings() {
  return (
    <Stack gap="lg">
      <SettingsForm
        title="Endpoint"
        text="Every event is sent there, signed by Standard Webhooks. A new endpoint gets a TEST event at once."
        draftOf={({ webhookEndpoint }) => ({ url: webhookEndpoint ?? '' })}
        changeOf={({ url }) => ({ webhookEndpoint: url === '' ? null : url })}
      >
        {({ url }, set) => (
          <TextInput
            label="Address"
            description="Empty: no webhooks. The feed of events is there all the same"
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
  const denied = useDenied('MANAGE')
  const client = useQueryClient()
  const key = ['webhook-secrets']
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => countersign.webhookSecrets.list(),
    enabled: denied === undefined,
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
          done={undefined}
          denied={denied}
          act={replace(FORMER_SECONDS)}
          ask={{
            title: 'Replace the secret?',
            text: 'Events are signed by a new secret from now on. Their signature by the present one goes along for a day, so that your server can change over.',
          }}
        />
      }
    >
      {denied && <Text c="dimmed">{denied}</Text>}
      {error && <ErrorState error={error} />}
      {!denied && !error && !data && <Loading lines={2} />}
      <Stack>
        {data?.data.map(({ id, secret, createdAt, expiresAt }) => (
          <div key={id}>
            <Secret label={expiresAt ? 'Replaced' : 'Present'} value={secret} />
            <Text size="sm" c="dimmed">
              Made <Time at={createdAt} />
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
