import type { FastifyRequest } from 'fastify'
import { pickClientAddress } from '../../../base/formats/ip-addresses.ts'
import type { App } from '../../../kernel/operation/app.ts'

/** The address of a caller. Do not use `request.ip`, which may be the address of a proxy. */
export function findClientAddress(
  { config }: Pick<App, 'config'>,
  { ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>,
): string {
  const forwarded = headers['x-forwarded-for']
  return pickClientAddress(
    ip,
    Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
    config.trustedProxies,
  )
}
