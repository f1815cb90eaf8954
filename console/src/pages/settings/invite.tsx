import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { isKeyOf } from '@countersign/contract/core/objects'
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { ErrorState } from '../../ui/states.tsx'
import { wordsOf } from '../../ui/status-meaning.ts'
import { PermissionChoice, type PermissionName } from './permission-choice.tsx'
import { roleOf } from './roles.ts'
import { Secret } from './secret.tsx'

/** Invites a member: by a link, which the one who invites hands over. */
export function Invite({
  denied,
  onDone,
}: {
  readonly denied: string | undefined
  readonly onDone: () => void
}) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const invite = useMutation({
    mutationFn: (person: Person) =>
      countersign.members.invite({ ...person, permissions: [...person.permissions] }),
    onSuccess: onDone,
  })
  const leave = () => {
    close()
    invite.reset()
  }
  return (
    <>
      <Button variant="default" disabled={denied !== undefined} title={denied} onClick={open}>
        Invite
      </Button>
      <Modal
        opened={isOpen}
        onClose={leave}
        title={invite.isSuccess ? 'Invited' : 'Invite a member'}
        size="lg"
      >
        {invite.isSuccess ? (
          <Stack>
            <Text>
              Hand this link to {invite.data.member.name}. No message is sent. It works once, within 72 hours.
            </Text>
            <Secret label="Invitation link" value={invite.data.invitationUrl} />
            <Group justify="flex-end">
              <Button onClick={leave}>Done</Button>
            </Group>
          </Stack>
        ) : (
          <InviteForm error={invite.error} isPending={invite.isPending} send={invite.mutate} />
        )}
      </Modal>
    </>
  )
}

interface Person {
  readonly name: string
  readonly email: string
  readonly permissions: readonly PermissionName[]
}

function InviteForm(props: {
  readonly error: unknown
  readonly isPending: boolean
  readonly send: (person: Person) => void
}) {
  const { error, isPending, send } = props
  const [person, setPerson] = useState<Person>({ name: '', email: '', permissions: MEMBER_ROLES.SUPPORT })
  const set = (part: Partial<Person>) => setPerson({ ...person, ...part })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(person)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={255}
          data-autofocus
          value={person.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <TextInput
          label="E-mail address"
          type="email"
          required
          maxLength={255}
          value={person.email}
          onChange={({ currentTarget }) => set({ email: currentTarget.value })}
        />
        <RoleChoice of={person.permissions} choose={(permissions) => set({ permissions })} />
        <PermissionChoice value={person.permissions} onChange={(permissions) => set({ permissions })} />
        {error !== null && <ErrorState error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending} disabled={person.permissions.length === 0}>
            Make the invitation
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** A role is a set of permissions to begin from. */
function RoleChoice(props: {
  readonly of: readonly PermissionName[]
  readonly choose: (permissions: readonly PermissionName[]) => void
}) {
  const { of, choose } = props
  return (
    <NativeSelect
      label="Role"
      value={roleOf(of) ?? ''}
      onChange={({ currentTarget }) => {
        const role = currentTarget.value
        if (isKeyOf(MEMBER_ROLES, role)) choose(MEMBER_ROLES[role])
      }}
      data={[
        { value: '', label: 'Chosen below' },
        ...Object.keys(MEMBER_ROLES).map((role) => ({ value: role, label: wordsOf(role) })),
      ]}
    />
  )
}
