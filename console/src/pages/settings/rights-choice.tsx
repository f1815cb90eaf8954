import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { isKeyOf } from '@countersign/contract/core/objects'
import { NativeSelect } from '@mantine/core'
import { useMe } from '../../session/me.ts'
import { formatConstant } from '../../ui/status-meaning.ts'
import { PermissionChoice } from './permission-choice.tsx'
import { findBuiltInRole, type Rights, useRoles } from './roles.ts'

/** Chooses one of the platform's roles, or individual permissions, with the built-in roles as presets. */
export function RightsChoice(props: { readonly value: Rights; readonly onChange: (rights: Rights) => void }) {
  const { value, onChange } = props
  const { member } = useMe()
  const { data: roles = [] } = useRoles()
  const handleChange = (choice: string) => {
    const role = roles.find(({ id }) => id === choice)
    if (role) onChange({ permissions: role.permissions, roleId: role.id })
    else if (isKeyOf(MEMBER_ROLES, choice)) onChange({ permissions: MEMBER_ROLES[choice] })
    else onChange({ permissions: value.permissions })
  }
  const custom = roles.map(({ id, name, permissions }) => ({
    value: id,
    label: name,
    disabled:
      id !== value.roleId && !permissions.every((permission) => member.permissions.includes(permission)),
  }))
  return (
    <>
      <NativeSelect
        label="Role"
        description={value.roleId === undefined ? undefined : 'The member follows every change of this role.'}
        value={value.roleId ?? findBuiltInRole(value.permissions) ?? ''}
        onChange={({ currentTarget }) => handleChange(currentTarget.value)}
        data={[
          { value: '', label: 'Chosen below' },
          ...(custom.length > 0 ? [{ group: 'Roles of the platform', items: custom }] : []),
          {
            group: 'Built-in roles',
            items: Object.keys(MEMBER_ROLES).map((role) => ({ value: role, label: formatConstant(role) })),
          },
        ]}
      />
      <PermissionChoice value={value.permissions} onChange={(permissions) => onChange({ permissions })} />
    </>
  )
}
