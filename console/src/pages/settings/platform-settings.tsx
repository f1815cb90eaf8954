import { NumberInput, Stack, Switch, Textarea } from '@mantine/core'
import { SettingsForm, splitLines } from './settings-form.tsx'

/** The contract's maximum number of required approvals. */
const APPROVALS_MAX = 5

/** The number of members who must approve the platform's own decisions, and other platform settings. */
export function PlatformSettings() {
  return (
    <Stack gap="lg">
      <SettingsForm
        title="Approvals"
        text="Agent actions, incoming payments and screened payments need this many approvals. A single rejection is enough. Above 1, API tokens cannot approve them."
        createDraft={({ approvalsRequired }) => ({ approvalsRequired })}
        buildChange={(draft) => draft}
      >
        {({ approvalsRequired }, set) => (
          <NumberInput
            label="Required approvals"
            min={1}
            max={APPROVALS_MAX}
            allowDecimal={false}
            value={approvalsRequired}
            onChange={(value) => typeof value === 'number' && set({ approvalsRequired: value })}
          />
        )}
      </SettingsForm>
      <AccountSettings />
      <SettingsForm
        title="Calls"
        createDraft={({ allowedOrigins, lenientInput }) => ({
          origins: allowedOrigins.join('\n'),
          lenientInput,
        })}
        buildChange={({ origins, lenientInput }) => ({ allowedOrigins: splitLines(origins), lenientInput })}
      >
        {({ origins, lenientInput }, set) => (
          <>
            <Textarea
              label="Origins of your pages"
              description="Pages that call with a customer's token, one per line: https://app.example.com"
              autosize
              minRows={2}
              value={origins}
              onChange={({ currentTarget }) => set({ origins: currentTarget.value })}
            />
            <Switch
              label="Ignore unknown fields in requests"
              description="Otherwise such requests are refused, which reveals typos immediately."
              checked={lenientInput}
              onChange={({ currentTarget }) => set({ lenientInput: currentTarget.checked })}
            />
          </>
        )}
      </SettingsForm>
    </Stack>
  )
}

function AccountSettings() {
  return (
    <SettingsForm
      title="Accounts"
      createDraft={({ omnibusAccounts }) => ({ omnibusAccounts })}
      buildChange={(draft) => draft}
    >
      {({ omnibusAccounts }, set) => (
        <Switch
          label="The platform's accounts hold customers' money"
          description="Each quote from one of them must then name the customer for whom it pays."
          checked={omnibusAccounts}
          onChange={({ currentTarget }) => set({ omnibusAccounts: currentTarget.checked })}
        />
      )}
    </SettingsForm>
  )
}
