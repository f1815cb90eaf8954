import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { Failure } from './failure.ts'

/** Parses a list such as `VIEW,TRANSACT`. Throws Failure for an unknown permission. */
export function readPermissions(text: string): Permission[] {
  return text.split(',').map((part) => {
    const word = part.trim()
    const permission = PERMISSIONS.find((candidate) => candidate === word)
    if (!permission)
      throw new Failure(
        `--permissions must be a comma-separated list of ${PERMISSIONS.join(', ')}, not "${word}".`,
      )
    return permission
  })
}
