import { PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { Failure } from './failure.ts'

/** Parses a list such as `VIEW,TRANSACT`. Throws Failure for an unknown permission. */
export function readPermissions(text: string): Permission[] {
  return text.split(',').map((part) => {
    const word = part.trim()
    const permission = PERMISSIONS.find((one) => one === word)
    if (!permission)
      throw new Failure(`--permissions takes ${PERMISSIONS.join(', ')}, separated by commas; not "${word}".`)
    return permission
  })
}
