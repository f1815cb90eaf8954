import { findWord } from '@countersign/contract/core/objects'
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { SettingsForm, splitLines } from './settings-form.tsx'

const VERIFICATIONS = ['required', 'preferred', 'discouraged'] as const
type Verification = (typeof VERIFICATIONS)[number]

/** The relying party of the passkeys that customers use to sign in to their wallets. */
export function PasskeySettings() {
  return (
    <SettingsForm
      title="Customers' passkeys"
      text="A passkey is bound to a domain. If you change the domain, passkeys created for the previous one stop working."
      createDraft={({ passkeyConfig }) => ({
        rpId: passkeyConfig?.rpId ?? '',
        origins: passkeyConfig?.origins.join('\n') ?? '',
        userVerification: (passkeyConfig?.userVerification ?? 'preferred') as Verification,
      })}
      buildChange={({ rpId, origins, userVerification }) => ({
        passkeyConfig: { rpId, origins: splitLines(origins), userVerification },
      })}
    >
      {({ rpId, origins, userVerification }, set) => (
        <>
          <TextInput
            label="Domain"
            description="The relying party id, without scheme and port"
            placeholder="example.com"
            required
            value={rpId}
            onChange={({ currentTarget }) => set({ rpId: currentTarget.value })}
          />
          <Textarea
            label="Origins"
            description="One per line: https://app.example.com, android:apk-key-hash:…, ios:…"
            required
            autosize
            minRows={2}
            value={origins}
            onChange={({ currentTarget }) => set({ origins: currentTarget.value })}
          />
          <NativeSelect
            label="Fingerprint, face or PIN"
            value={userVerification}
            onChange={({ currentTarget }) =>
              set({ userVerification: findWord(VERIFICATIONS, currentTarget.value) ?? userVerification })
            }
            data={[
              { value: 'required', label: 'Required' },
              { value: 'preferred', label: 'If the device supports it' },
              { value: 'discouraged', label: 'Not asked for' },
            ]}
          />
        </>
      )}
    </SettingsForm>
  )
}
