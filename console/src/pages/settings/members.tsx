import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMe, useMissingPermission } from '../../session/me.ts'
import { useViewAs } from '../../session/view-as.tsx'
import { ActionButton } from '../../ui/action-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { formatJson } from '../../ui/words.ts'
import { Invite } from './invite.tsx'
import { type RemovedMember, RemovedMemberTokens, RemoveMember } from './remove-member.tsx'
import { RightsChoice } from './rights-choice.tsx'
import { type Rights, toRightsBody, useRoles } from './roles.ts'
import { Secret } from './secret.tsx'

const KEY = ['members'] as const
const MEMBERS_MAX = 100

/** The platform's team members. */
export function Members() {
  const disabledReason = useMissingPermission('MANAGE')
  const client = useQueryClient()
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: async () => await countersign.members.list({ limit: MEMBERS_MAX }),
  })
  // Kept outside the row, because the row disappears with the member.
  const [removedMember, setRemovedMember] = useState<RemovedMember>()
  const refreshData = () => void client.invalidateQueries()
  const onRemoved = (member: RemovedMember | undefined) => {
    setRemovedMember(member)
    refreshData()
  }
  return (
    <Panel title="Members" actions={<Invite disabledReason={disabledReason} onDone={refreshData} />}>
      {removedMember && (
        <RemovedMemberTokens removed={removedMember} onClose={() => setRemovedMember(undefined)} />
      )}
      {error && <ErrorState error={error} />}
      {!error && !data && <Loading />}
      <Stack gap="md">
        {data?.data.map((member) => (
          <MemberRow
            key={member.id}
            member={member}
            disabledReason={disabledReason}
            onDone={refreshData}
            onRemoved={onRemoved}
          />
        ))}
      </Stack>
    </Panel>
  )
}

type Member = Awaited<ReturnType<typeof countersign.members.get>>

function MemberRow(props: {
  readonly member: Member
  readonly disabledReason: string | undefined
  readonly onDone: () => void
  readonly onRemoved: (removed: RemovedMember | undefined) => void
}) {
  const { member, disabledReason, onDone, onRemoved } = props
  const { id, name, email, status, permissions, lastSignInAt } = member
  const me = useMe()
  const { data: roles } = useRoles()
  const role = roles?.find((candidate) => candidate.id === member.roleId)
  const [link, setLink] = useState<string>()
  return (
    <div>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
          <Group gap="xs">
            <Text fw={600} className="clipped" maw="100%" title={name}>
              {name}
            </Text>
            {status !== 'ACTIVE' && <Status state={status} />}
            {id === me.member.id && (
              <Badge variant="default" radius="sm" tt="none">
                You
              </Badge>
            )}
          </Group>
          <Text size="sm" className="anywhere">
            {email}
          </Text>
          <Text size="sm" c="dimmed">
            {role && `${role.name}: `}
            {permissions.join(', ')}
            {lastSignInAt && (
              <>
                {' '}
                · last signed in <Time clock="real" at={lastSignInAt} />
              </>
            )}
          </Text>
        </div>
        <MemberActions
          member={member}
          disabledReason={disabledReason}
          onDone={onDone}
          onRemoved={onRemoved}
          showLink={setLink}
        />
      </Group>
      {link && <Secret label="Invitation link, valid for 72 hours" value={link} />}
    </div>
  )
}

function MemberActions(props: {
  readonly member: Member
  readonly disabledReason: string | undefined
  readonly onDone: () => void
  readonly onRemoved: (removed: RemovedMember | undefined) => void
  readonly showLink: (link: string) => void
}) {
  const { member, disabledReason, onDone, onRemoved, showLink } = props
  const { id, name } = member
  const isMine = id === useMe().member.id
  const viewAs = useViewAs()
  const renew = async () => {
    const { invitationUrl } = await countersign.members.renewInvitation(id)
    showLink(invitationUrl)
  }
  return (
    <Group gap="xs">
      {!isMine && member.status === 'ACTIVE' && (
        <Button size="xs" variant="default" onClick={() => viewAs(member)}>
          View as
        </Button>
      )}
      <ChangePermissions member={member} disabledReason={disabledReason} onDone={onDone} />
      <ActionButton
        label="New link"
        successText={undefined}
        size="xs"
        disabledReason={disabledReason}
        act={renew}
        question={{
          title: `A new link for ${name}?`,
          text: 'For a member who has not signed in yet or has lost the passkey. Anyone who has the link becomes this member. Earlier links stop working.',
        }}
      />
      <RemoveMember member={member} disabledReason={disabledReason} onRemoved={onRemoved} />
    </Group>
  )
}

function ChangePermissions(props: {
  readonly member: Member
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}) {
  const { member, disabledReason, onDone } = props
  const [isOpen, { open, close }] = useDisclosure(false)
  const previous = getRights(member)
  const [draft, setDraft] = useState<Rights>()
  const rights = draft ?? previous
  const leave = () => {
    close()
    setDraft(undefined)
  }
  const save = useMutation({
    mutationFn: () => countersign.members.update(member.id, toRightsBody(rights)),
    onSuccess: () => {
      leave()
      onDone()
    },
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={disabledReason !== undefined}
        title={disabledReason}
        onClick={open}
      >
        Permissions
      </Button>
      <FormDialog
        opened={isOpen}
        onClose={leave}
        isDirty={formatJson(rights) !== formatJson(previous)}
        title={`Permissions of ${member.name}`}
      >
        <Stack>
          <RightsChoice value={rights} onChange={setDraft} />
          <Text size="sm" c="dimmed">
            They apply from the next request on, including in open sessions.
          </Text>
          {save.isError && <ErrorState error={save.error} />}
          <Group justify="flex-end">
            <Button
              loading={save.isPending}
              disabled={rights.permissions.length === 0}
              onClick={() => save.mutate()}
            >
              Save
            </Button>
          </Group>
        </Stack>
      </FormDialog>
    </>
  )
}

function getRights({ permissions, roleId }: Member): Rights {
  return roleId === undefined ? { permissions } : { permissions, roleId }
}
