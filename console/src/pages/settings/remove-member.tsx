import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { DeniableButton } from '../../ui/deniable-button.tsx'
import { ErrorState } from '../../ui/states.tsx'

export type RemovedMember = NonNullable<Awaited<ReturnType<typeof countersign.members.delete>>>

/** Removes a member. `onRemoved` receives the API tokens that the member created, if any. */
export function RemoveMember(props: {
  readonly member: { readonly id: string; readonly name: string }
  readonly disabledReason: string | undefined
  readonly onRemoved: (removed: RemovedMember | undefined) => void
}) {
  const { member, disabledReason, onRemoved } = props
  const [isOpen, { open, close }] = useDisclosure(false)
  const [endTokens, setEndTokens] = useState(false)
  const remove = useMutation({
    mutationFn: async () => (await countersign.members.delete(member.id, { endTokens })) ?? null,
    onSuccess: (removed) => {
      close()
      onRemoved(removed ?? undefined)
    },
  })
  return (
    <>
      <DeniableButton variant="default" color="red" size="xs" disabledReason={disabledReason} onClick={open}>
        Remove
      </DeniableButton>
      <Modal opened={isOpen} onClose={close} title={`Remove ${member.name}?`} centered>
        <Stack gap="md">
          <div className="anywhere">
            Sessions, passkeys and invitations of this member end immediately, and the invitations that the
            member has made for others. What the member did stays on record.
          </div>
          <Checkbox
            label="Also revoke the API tokens that this member created"
            checked={endTokens}
            onChange={({ currentTarget }) => setEndTokens(currentTarget.checked)}
          />
          {remove.isError && <ErrorState error={remove.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" variant="filled" loading={remove.isPending} onClick={() => remove.mutate()}>
              Remove
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

/**
 * Lists a removed member's API tokens until the dialog is closed. They remain valid unless they are revoked
 * too.
 */
export function RemovedMemberTokens(props: {
  readonly removed: RemovedMember
  readonly onClose: () => void
}) {
  const { removed, onClose } = props
  const { tokens, tokensEnded } = removed
  return (
    <Modal opened onClose={onClose} title="API tokens of the removed member" centered>
      <Stack gap="md">
        <Text>
          {tokensEnded
            ? 'The member is removed, and the API tokens below have ended:'
            : 'The member is removed. The API tokens below are still valid. Delete the ones that are no longer needed under API tokens.'}
        </Text>
        <Stack gap={4}>
          {tokens.map(({ id, name, permissions }) => (
            <Text key={id} size="sm" className="anywhere">
              {name} · {permissions.join(', ')}
            </Text>
          ))}
        </Stack>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
