import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { WireSpelling } from '@countersign/contract/core/wire-word'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { toRouterPath } from '../../../kernel/operation/base-path.ts'
import { isCustomerToken } from './tokens.ts'

/** The number of seconds for which browsers cache a preflight response. */
const PREFLIGHT_MAX_AGE_SECONDS = 600

const HEADERS_OF_CALLS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'Request-Id']
const EXPOSED_HEADERS = [
  'Idempotency-Replayed',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
]

/**
 * Lets web pages make calls with a customer token and read the responses, including errors (CORS). Pages
 * cannot read responses for other credentials. Preflight requests carry no credentials, so `authenticate.ts`
 * checks the platform's allowed origins.
 */
export function allowPages(
  server: FastifyInstance,
  { walletSignatureHeader, sandboxFaultHeader }: WireSpelling,
  endpoints: readonly Endpoint[],
): void {
  const headersOfCalls = [...HEADERS_OF_CALLS, walletSignatureHeader, sandboxFaultHeader].join(', ')
  const exposedHeaders = [...EXPOSED_HEADERS, `${sandboxFaultHeader}-Applied`].join(', ')
  const methods = new Map<string, string[]>()
  for (const endpoint of endpoints)
    if (endpoint.auth === 'platform' && endpoint.customerToken) {
      const url = toRouterPath(endpoint)
      methods.set(url, [...(methods.get(url) ?? []), endpoint.method])
    }
  server.addHook('onRequest', (request, reply, done) => {
    const { origin, authorization, 'access-control-request-method': requestedMethod } = request.headers
    const allowed = methods.get(request.routeOptions.url ?? '')
    if (origin === undefined || !allowed) return done()
    if (request.method === 'OPTIONS' && requestedMethod !== undefined) {
      allowOrigin(reply, origin, exposedHeaders)
        .header('Access-Control-Allow-Methods', allowed.join(', '))
        .header('Access-Control-Allow-Headers', headersOfCalls)
        .header('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_SECONDS))
        .code(204)
        .send()
      return
    }
    if (isCustomerToken(authorization)) allowOrigin(reply, origin, exposedHeaders)
    done()
  })
}

function allowOrigin(reply: FastifyReply, origin: string, exposedHeaders: string): FastifyReply {
  return reply
    .header('Access-Control-Allow-Origin', origin)
    .header('Vary', 'Origin')
    .header('Access-Control-Expose-Headers', exposedHeaders)
}
