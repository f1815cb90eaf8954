import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { countersign } from '../../data/client.ts'
import { useMe, useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DialogButton } from '../../ui/dialog-button.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { PermissionChoice, type PermissionName } from './permission-choice.tsx'
import { type CustomRole, useRoles } from './roles.ts'

/** The custom roles of the platform. */
export function RoleList() {
  const disabledReason = useMissingPermission('MANAGE')
  const client = useQueryClient()
  const { data: roles, error } = useRoles()
  const refresh = () => void client.invalidateQueries()
  return (
    <Panel
      title="Roles"
      actions={
        <DialogButton
          label="New role"
          title="New role"
          variant="default"
          disabledReason={disabledReason}
          onDone={refresh}
        >
          {({ onDone }) => <RoleForm onDone={onDone} />}
        </DialogButton>
      }
    >
      {error && <ErrorState error={error} />}
      {!error && !roles && <Loading lines={2} />}
      {roles?.length === 0 && (
        <Text c="dimmed">
          A role is a name for permissions. Its members follow it: if it changes, they change with it.
        </Text>
      )}
      <Stack gap="md">
        {roles?.map((role) => (
          <RoleRow key={role.id} role={role} disabledReason={disabledReason} onDone={refresh} />
        ))}
      </Stack>
    </Panel>
  )
}

function RoleRow(props: {
  readonly role: CustomRole
  readonly disabledReason: string | undefined
  readonly onDone: () => void
}) {
  const { role, disabledReason, onDone } = props
  const { id, name, permissions, memberCount } = role
  const { member } = useMe()
  const missingPermission = permissions.filter((permission) => !member.permissions.includes(permission))
  const undeletable =
    disabledReason ??
    (memberCount > 0 ? 'Members still have this role. Assign them another role first.' : undefined) ??
    (missingPermission.length > 0 ? `You do not have ${missingPermission.join(', ')} yourself.` : undefined)
  return (
    <Group component="section" aria-label={name} justify="space-between" align="flex-start" gap="sm">
      <div style={{ minWidth: 0, flex: '1 1 16rem' }}>
        <Text fw={600} className="clipped" title={name}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {permissions.join(', ')} · {countMembers(memberCount)}
        </Text>
      </div>
      <Group gap="xs">
        <DialogButton
          label="Change"
          title={`Change ${name}`}
          variant="default"
          buttonSize="xs"
          disabledReason={disabledReason}
          onDone={onDone}
        >
          {(dialog) => <RoleForm role={role} onDone={dialog.onDone} />}
        </DialogButton>
        <ActionButton
          label="Delete"
          successText="Role deleted."
          color="red"
          size="xs"
          disabledReason={undeletable}
          act={() => countersign.memberRoles.delete(id)}
          onDone={onDone}
          question={{
            title: `Delete ${name}?`,
            text: 'No member has this role. Its name can be used again.',
          }}
        />
      </Group>
    </Group>
  )
}

function RoleForm(props: { readonly role?: CustomRole; readonly onDone: () => void }) {
  const { role, onDone } = props
  const [draft, setDraft] = useState<{
    readonly name: string
    readonly permissions: readonly PermissionName[]
  }>({ name: role?.name ?? '', permissions: role?.permissions ?? ['VIEW'] })
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const save = useMutation({
    mutationFn: () => {
      const body = { name: draft.name, permissions: [...draft.permissions] }
      return role ? countersign.memberRoles.update(role.id, body) : countersign.memberRoles.create(body)
    },
    onSuccess: onDone,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={64}
          data-autofocus
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <PermissionChoice value={draft.permissions} onChange={(permissions) => set({ permissions })} />
        {role && role.memberCount > 0 && (
          <Text size="sm" c="dimmed">
            A change counts for {countMembers(role.memberCount)} from the next request on, in open sessions
            too.
          </Text>
        )}
        {save.isError && <ErrorState error={save.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={draft.permissions.length === 0}>
            {role ? 'Save' : 'Define the role'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function countMembers(count: number): string {
  return count === 1 ? '1 member' : `${count} members`
}
