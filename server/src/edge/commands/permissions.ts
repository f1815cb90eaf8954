import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'

/** Parses permissions; undefined if none is given. */
export function readPermissions(given: string | boolean | undefined): readonly Permission[] | undefined {
  if (typeof given !== 'string') return undefined
  const words = given.split(',').map((word) => word.trim())
  const unknown = words.filter((word) => !isPermission(word))
  if (unknown.length > 0)
    throw new Error(`--permissions takes ${PERMISSIONS.join(', ')}, not ${unknown.join(', ')}`)
  return words.filter(isPermission)
}

function isPermission(word: string): word is Permission {
  return PERMISSIONS.some((permission) => permission === word)
}
