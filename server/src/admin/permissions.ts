import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'

/** Parses permissions; undefined where none is named. */
export function readPermissions(given: string | boolean | undefined): readonly Permission[] | undefined {
  if (typeof given !== 'string') return undefined
  const words = given.split(',').map((word) => word.trim())
  const unknown = words.filter((word) => !PERMISSIONS.some((permission) => permission === word))
  if (unknown.length > 0)
    throw new Error(`--permissions takes ${PERMISSIONS.join(', ')}, not ${unknown.join(', ')}`)
  return words as Permission[]
}
