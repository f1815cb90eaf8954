import type { Endpoint } from '@countersign/contract/core/endpoint'
import { authenticateDeviceCode } from '../../../agents/identity/device-codes.ts'
import { denyPausedAgent } from '../../../agents/policy/evaluate.ts'
import type { App } from '../../../kernel/operation/app.ts'
import { ApiError, type Caller } from '../../../kernel/operation/operation.ts'
import { checkPermission } from '../../../kernel/operation/permissions.ts'
import { createMissingSessionError } from '../../../people/members/sessions.ts'
import { getPlatformConfig } from '../../../people/platforms/platform-config.ts'
import type { PlatformRow } from '../../../storage/rows/tables.ts'
import type { Head } from '../request/call.ts'
import { admitMember, bringsCookie } from './members.ts'
import { authenticateAgent, authenticateCustomer, authenticatePlatform, isCustomerToken } from './tokens.ts'

/**
 * Authenticates and authorizes the caller using only the request head. Throws the errors of the credential
 * type, and 403 `FORBIDDEN` for a token without the required permission, a paused agent, or a page whose
 * origin is not allowed.
 */
export async function admit(app: App, endpoint: Endpoint, head: Head): Promise<Caller> {
  switch (endpoint.auth) {
    case 'platform': {
      if (bringsCookie(head)) {
        const caller = await admitMember(app, endpoint, head)
        checkPermission(caller, endpoint.permission, endpoint.orPermission)
        return caller
      }
      if (isCustomerToken(head.authorization)) return admitCustomer(app, endpoint, head, head.authorization)
      if (!head.authorization && head.fetchSite !== undefined)
        throw createMissingSessionError('You are not signed in.')
      const { platform, ...token } = await authenticatePlatform(app, head.authorization)
      head.trace.platformId = platform.id
      const actor = { kind: 'token', ...token } as const
      checkPermission({ actor }, endpoint.permission, endpoint.orPermission)
      return { platform, actor }
    }
    case 'agent': {
      const { platform, isPaused, ...agent } = await authenticateAgent(app, head.authorization, head.address)
      head.trace.platformId = platform.id
      if (isPaused && endpoint.method !== 'GET' && !endpoint.whilePaused) throw denyPausedAgent(app)
      return { platform, actor: { kind: 'agent', ...agent } }
    }
    case 'deviceCode': {
      const platform = await authenticateDeviceCode(app, readDeviceCode(head), head.address)
      head.trace.platformId = platform.id
      return { platform, actor: { kind: 'deviceCode' } }
    }
    case 'member':
      return admitMember(app, endpoint, head)
    case 'public':
    case 'cardProcessor':
    case 'verificationProvider':
    case 'rail':
      throw new Error('callers of this endpoint are identified by the body')
  }
}

/**
 * Throws 401 `UNAUTHORIZED`, or 403 `FORBIDDEN` if the token does not cover the call, lacks a permission, or
 * comes from a page whose origin is not allowed.
 */
async function admitCustomer(
  app: App,
  endpoint: Extract<Endpoint, { auth: 'platform' }>,
  { trace, address, origin }: Head,
  authorization: string,
): Promise<Caller> {
  const { platform, ...customer } = await authenticateCustomer(app, authorization, address)
  trace.platformId = platform.id
  if (origin !== undefined) checkOrigin(app, await app.withConfig(platform), origin)
  if (!endpoint.customerToken)
    throw new ApiError('FORBIDDEN', {
      message: "Customer tokens cannot make this call. Make it from the platform's backend.",
    })
  const actor = { kind: 'customer', ...customer } as const
  checkPermission({ actor }, endpoint.permission, endpoint.orPermission)
  return { platform, actor }
}

/** Throws 403 `FORBIDDEN` for a page whose origin the platform does not allow. */
function checkOrigin({ config: { mode } }: App, platform: PlatformRow, origin: string): void {
  const { allowedOrigins } = getPlatformConfig({ mode, platform })
  if (!allowedOrigins.some((allowed) => matchesOrigin(allowed, origin)))
    throw new ApiError('FORBIDDEN', {
      message: `Pages from ${origin} cannot call this platform. Add the origin to allowedOrigins in its configuration.`,
      details: { origin },
    })
}

/** True if an origin matches an allowed one, whose port may be a wildcard (`:*`). */
function matchesOrigin(allowed: string, origin: string): boolean {
  if (!allowed.endsWith(':*')) return allowed === origin
  const host = allowed.slice(0, -':*'.length)
  return origin === host || (origin.startsWith(`${host}:`) && /^\d{1,5}$/.test(origin.slice(host.length + 1)))
}

export function readDeviceCode({ params }: Pick<Head, 'params'>): string {
  return (params as { readonly code: string }).code
}
