import { findWord } from '@countersign/contract/core/objects'
import { NumberInput, SegmentedControl, Stack, Switch, TextInput, useMantineColorScheme } from '@mantine/core'
import { Panel } from '../../ui/page.tsx'
import { type Config, SettingsForm } from './settings-form.tsx'

/** The console's color scheme for this member, and the platform's branding for its customers. */
export function Appearance() {
  return (
    <Stack gap="lg">
      <ColorSchemes />
      <Messages />
    </Stack>
  )
}

const COLOR_SCHEMES = ['auto', 'light', 'dark'] as const

function ColorSchemes() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Panel title="This console">
      <SegmentedControl
        aria-label="Color scheme"
        value={colorScheme}
        onChange={(value) => setColorScheme(findWord(COLOR_SCHEMES, value) ?? 'auto')}
        data={[
          { value: 'auto', label: 'Same as system' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
      />
    </Panel>
  )
}

function createDraft(wallet: Config['embeddedWalletConfig']) {
  return {
    appName: wallet.appName ?? '',
    logoUrl: wallet.logoUrl ?? '',
    senderName: wallet.sendFromEmailSenderName ?? '',
    otpLength: (wallet.otpLength ?? '') as number | '',
    alphanumeric: wallet.alphanumeric ?? false,
  }
}

function Messages() {
  return (
    <SettingsForm
      title="Messages to customers"
      text="The sender of the e-mails and text messages with codes, as customers see it."
      createDraft={({ embeddedWalletConfig }) => createDraft(embeddedWalletConfig)}
      buildChange={({ appName, logoUrl, senderName, otpLength, alphanumeric }) => ({
        embeddedWalletConfig: {
          ...(appName ? { appName } : {}),
          ...(logoUrl ? { logoUrl } : {}),
          ...(senderName ? { sendFromEmailSenderName: senderName } : {}),
          ...(otpLength === '' ? {} : { otpLength }),
          alphanumeric,
        },
      })}
    >
      {(draft, set) => (
        <>
          <TextInput
            label="Name of your app"
            maxLength={255}
            value={draft.appName}
            onChange={({ currentTarget }) => set({ appName: currentTarget.value })}
          />
          <TextInput
            label="Name of the sender"
            maxLength={255}
            value={draft.senderName}
            onChange={({ currentTarget }) => set({ senderName: currentTarget.value })}
          />
          <TextInput
            label="Logo URL"
            type="url"
            placeholder="https://"
            maxLength={512}
            value={draft.logoUrl}
            onChange={({ currentTarget }) => set({ logoUrl: currentTarget.value })}
          />
          <NumberInput
            label="Characters per code"
            min={6}
            max={9}
            allowDecimal={false}
            value={draft.otpLength}
            onChange={(value) => set({ otpLength: typeof value === 'number' ? value : '' })}
          />
          <Switch
            label="Include letters in codes"
            checked={draft.alphanumeric}
            onChange={({ currentTarget }) => set({ alphanumeric: currentTarget.checked })}
          />
        </>
      )}
    </SettingsForm>
  )
}
