import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { RightsChoice } from './rights-choice.tsx'
import { type Rights, toRightsBody } from './roles.ts'
import { Secret } from './secret.tsx'

/** Invites a member. The inviter gets a link to pass on. */
export function Invite({
  disabledReason,
  onDone,
}: {
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const invite = useMutation({
    mutationFn: ({ name, email, rights }: Person) =>
      countersign.members.invite({ name, email, ...toRightsBody(rights) }),
    onSuccess: onDone,
  })
  const [person, setPerson] = useState(NOBODY)
  const leave = () => {
    close()
    setPerson(NOBODY)
    invite.reset()
  }
  return (
    <>
      <Button variant="default" disabled={disabledReason !== undefined} title={disabledReason} onClick={open}>
        Invite
      </Button>
      <FormDialog
        opened={isOpen}
        onClose={leave}
        isDirty={person !== NOBODY && !invite.isSuccess}
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
          <InviteForm
            person={person}
            setPerson={setPerson}
            error={invite.error}
            isPending={invite.isPending}
            send={() => invite.mutate(person)}
          />
        )}
      </FormDialog>
    </>
  )
}

interface Person {
  readonly name: string
  readonly email: string
  readonly rights: Rights
}

const NOBODY: Person = { name: '', email: '', rights: { permissions: MEMBER_ROLES.SUPPORT } }

function InviteForm(props: {
  readonly person: Person
  readonly setPerson: (person: Person) => void
  readonly error: unknown
  readonly isPending: boolean
  readonly send: () => void
}) {
  const { person, setPerson, error, isPending, send } = props
  const set = (part: Partial<Person>) => setPerson({ ...person, ...part })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
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
        <RightsChoice value={person.rights} onChange={(rights) => set({ rights })} />
        {error !== null && <ErrorState error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending} disabled={person.rights.permissions.length === 0}>
            Make the invitation
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
