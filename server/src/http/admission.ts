import type { Endpoint } from '@countersign/contract/core/endpoint'
import { authenticateDeviceCode } from '../agents/device-codes.ts'
import { pausedDenial } from '../agents/evaluate.ts'
import type { App } from '../op/app.ts'
import type { Caller } from '../op/operation.ts'
import { checkPermission } from '../op/permissions.ts'
import { authenticateAgent, authenticatePlatform } from './auth.ts'
import type { Head } from './call.ts'

/**
 * Authenticates and authorizes the caller by the head of the request alone. Errors: those of the accepted credentials,
 * 403 `FORBIDDEN` for a token without the permission, or an agent that is paused.
 */
export async function admit(app: App, endpoint: Endpoint, head: Head): Promise<Caller> {
  switch (endpoint.auth) {
    case 'platform': {
      const { platform, ...token } = await authenticatePlatform(app, head.authorization)
      head.trace.platformId = platform.id
      const actor = { kind: 'token', ...token } as const
      checkPermission({ actor }, endpoint.permission)
      return { platform, actor }
    }
    case 'agent': {
      const { platform, isPaused, ...agent } = await authenticateAgent(app, head.authorization, head.address)
      head.trace.platformId = platform.id
      if (isPaused && endpoint.method !== 'GET' && !endpoint.whilePaused) throw pausedDenial(app)
      return { platform, actor: { kind: 'agent', ...agent } }
    }
    case 'deviceCode': {
      const platform = await authenticateDeviceCode(app, codeOf(head), head.address)
      head.trace.platformId = platform.id
      return { platform, actor: { kind: 'deviceCode' } }
    }
    case 'public':
      throw new Error('No endpoint is public')
    case 'cardProcessor':
    case 'verificationProvider':
    case 'rail':
      throw new Error('The sender of an event is authenticated by the body')
  }
}

/** The device code in the path. */
export function codeOf({ params }: Pick<Head, 'params'>): string {
  return (params as { readonly code: string }).code
}
