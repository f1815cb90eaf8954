import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'

/** Parses a list of permissions; undefined if none was given. */
export function readPermissions(text: string | boolean | undefined): readonly Permission[] | undefined {
  if (typeof text !== 'string') return undefined
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isPermission(name))
  if (unknown.length > 0)
    throw new Error(`--permissions must contain only ${PERMISSIONS.join(', ')}, not ${unknown.join(', ')}.`)
  return names.filter(isPermission)
}

function isPermission(name: string): name is Permission {
  return PERMISSIONS.some((permission) => permission === name)
}
