import { Button, CloseButton, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { SettingsForm, splitLines } from './settings-form.tsx'

interface Issuer {
  /** Identifies the row while it is edited. */
  readonly row: number
  readonly issuer: string
  readonly audiences: string
}

/** The issuers whose ID tokens customers can sign in with. */
export function IdentityTokens() {
  return (
    <SettingsForm
      title="Identity tokens"
      text="Customers sign in with tokens from these issuers. Tokens are checked against the keys that the issuer publishes."
      createDraft={({ oauthConfig }) => ({
        issuers: oauthConfig.issuers.map(
          ({ issuer, audiences }, row): Issuer => ({ row, issuer, audiences: audiences?.join('\n') ?? '' }),
        ),
      })}
      buildChange={({ issuers }) => ({
        oauthConfig: {
          issuers: issuers.map(({ issuer, audiences }) => {
            const ids = splitLines(audiences)
            return { issuer, ...(ids.length > 0 ? { audiences: ids } : {}) }
          }),
        },
      })}
    >
      {({ issuers }, set) => {
        const change = (row: number, part: Partial<Issuer>) =>
          set({ issuers: issuers.map((issuer) => (issuer.row === row ? { ...issuer, ...part } : issuer)) })
        const nextRow = Math.max(-1, ...issuers.map(({ row }) => row)) + 1
        return (
          <>
            {issuers.length === 0 && <span>No issuer is accepted yet.</span>}
            {issuers.map(({ row, issuer, audiences }) => (
              <IssuerRow
                key={row}
                issuer={issuer}
                audiences={audiences}
                change={(part) => change(row, part)}
                remove={() => set({ issuers: issuers.filter((other) => other.row !== row) })}
              />
            ))}
            <Group>
              <Button
                variant="default"
                onClick={() => set({ issuers: [...issuers, { row: nextRow, issuer: '', audiences: '' }] })}
              >
                Add an issuer
              </Button>
            </Group>
          </>
        )
      }}
    </SettingsForm>
  )
}

function IssuerRow(props: {
  readonly issuer: string
  readonly audiences: string
  readonly change: (part: Partial<Issuer>) => void
  readonly remove: () => void
}) {
  const { issuer, audiences, change, remove } = props
  return (
    <Group align="flex-start" wrap="nowrap">
      <Stack gap="xs" style={{ flex: 1 }}>
        <TextInput
          label="Issuer"
          type="url"
          placeholder="https://accounts.example.com"
          required
          value={issuer}
          onChange={({ currentTarget }) => change({ issuer: currentTarget.value })}
        />
        <Textarea
          label="Client ids"
          description="One per line. Leave empty to accept any."
          autosize
          minRows={1}
          value={audiences}
          onChange={({ currentTarget }) => change({ audiences: currentTarget.value })}
        />
      </Stack>
      <CloseButton mt={26} aria-label={`Remove ${issuer || 'this issuer'}`} onClick={remove} />
    </Group>
  )
}
