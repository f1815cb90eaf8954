import { listEffectivePermissions, PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { expect, test } from 'vitest'
import { ApiError } from '../../../src/kernel/operation/operation.ts'
import { checkPermission } from '../../../src/kernel/operation/permissions.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'

/** Every set of permissions that a token can have. */
const PERMISSION_SETS = Array.from({ length: 2 ** PERMISSIONS.length - 1 }, (_, index) =>
  PERMISSIONS.filter((_, bit) => ((index + 1) >> bit) & 1),
)

const CALLS = ENDPOINTS.flatMap(([name, endpoint]) =>
  endpoint.auth === 'platform' ? [{ name, ...endpoint }] : [],
)

function findRefusal(
  permissions: readonly Permission[],
  { permission, orPermission }: (typeof CALLS)[number],
) {
  const caller = { kind: 'token', tokenId: 'Token:1', tokenName: 'Backend', permissions } as const
  try {
    checkPermission({ actor: caller }, permission, orPermission)
    return undefined
  } catch (error) {
    return error instanceof ApiError ? error : String(error)
  }
}

// `permissions.test.ts` shows over HTTP that the server makes this check for each call.
test.each(PERMISSION_SETS.map((set) => [set.join(' and '), set] as const))(
  'a token with %s may call exactly what the contract allows',
  (_, granted) => {
    const effective = listEffectivePermissions(granted)
    for (const call of CALLS) {
      const isAllowed = [call.permission, call.orPermission].some(
        (permission) => permission && effective.includes(permission),
      )
      const refusal = findRefusal(effective, call)
      if (isAllowed) expect(refusal, call.name).toBeUndefined()
      else
        expect(refusal, call.name).toMatchObject({
          code: 'FORBIDDEN',
          details: { permission: call.permission },
        })
    }
  },
)

test('every permission allows some calls that no other permission allows', () => {
  for (const permission of PERMISSIONS)
    expect(
      CALLS.some((call) => call.permission === permission),
      permission,
    ).toBe(true)
})
