import type { FastifyRequest } from 'fastify'
import type { App } from '../../../kernel/operation/app.ts'
import { readMemberSecret } from '../authentication/member-cookie.ts'
import { USER_AGENT_CHARACTERS_MAX } from '../authentication/members.ts'
import { findClientAddress } from './address.ts'
import type { Head } from './call.ts'

export function buildHead(app: App, request: FastifyRequest): Head {
  const { params, headers, trace } = request
  return {
    params,
    authorization: headers.authorization,
    origin: headers.origin,
    fetchSite: readHeaderText(request, 'sec-fetch-site'),
    memberSecret: readMemberSecret(app, headers.cookie),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS_MAX),
    ownOrigin: findOwnOrigin(app, request),
    address: findClientAddress(app, request),
    trace,
    seen: request.seen,
  }
}

/** The URL of this server as the caller wrote it, unless a setting overrides it. */
function findOwnOrigin(app: App, { protocol, host }: FastifyRequest): string {
  const { publicUrl } = app.config
  if (publicUrl !== undefined) return publicUrl
  const ownUrl = `${protocol}://${host}`
  return URL.canParse(ownUrl) ? new URL(ownUrl).origin : app.origin()
}

export function readHeaderText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
