import { keysOf } from '@countersign/contract/core/objects'
import { Checkbox, Stack } from '@mantine/core'
import { useMe } from '../../session/me.ts'

/** Permission labels, in the contract's order. */
export const PERMISSION_LABELS = {
  VIEW: 'reads everything',
  TRANSACT: 'moves money and signs customers in',
  MANAGE: 'changes records and settings',
  APPROVE: 'approves and rejects pending items',
  REVIEW: 'decides about customers',
} as const

export type PermissionName = keyof typeof PERMISSION_LABELS

const NAMES = keysOf(PERMISSION_LABELS)

/** Chooses permissions. Members can only grant permissions that they have. */
export function PermissionChoice(props: {
  readonly value: readonly PermissionName[]
  readonly onChange: (value: readonly PermissionName[]) => void
}) {
  const { value, onChange } = props
  const { member } = useMe()
  return (
    <Checkbox.Group
      label="Permissions"
      value={[...value]}
      onChange={(chosen) => onChange(NAMES.filter((name) => chosen.includes(name)))}
    >
      <Stack gap="xs" mt="xs">
        {NAMES.map((name) => {
          const isMine = member.permissions.includes(name)
          return (
            <Checkbox
              key={name}
              value={name}
              label={name}
              description={
                isMine ? PERMISSION_LABELS[name] : `${PERMISSION_LABELS[name]}. You do not have it yourself.`
              }
              disabled={!isMine && !value.includes(name)}
            />
          )
        })}
      </Stack>
    </Checkbox.Group>
  )
}
