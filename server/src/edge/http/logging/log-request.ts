import { readRequestTime } from '@countersign/contract/operation/audit-events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LoggedEndpoint, RequestLog } from '../../../kernel/audit/request-log.ts'
import type { App } from '../../../kernel/operation/app.ts'
import { findClientAddress } from '../request/address.ts'
import type { HttpResponse } from '../request/call.ts'
import { getPathBelowBase, measureDurationMs, readTextParams } from './request-lines.ts'

/** Adds a request and its response to the request log once the response was sent. */
export type Keep = (request: FastifyRequest, reply: FastifyReply, answer: HttpResponse) => void

/**
 * Requests without a platform, such as those with unknown credentials, are not logged, because nobody could
 * see them.
 */
export function createRequestLogger(
  app: App,
  operation: string,
  endpoint: LoggedEndpoint,
  add: RequestLog['add'],
): Keep {
  return (request, reply, { status, body }) => {
    const { trace, headers, method, seen } = request
    reply.raw.once('close', () => {
      const { platformId, httpRequestId, callerRequestId, code } = trace
      if (platformId === undefined) return
      const at = readRequestTime(httpRequestId) ?? app.clock()
      add({
        ...{ platformId, httpRequestId, callerRequestId, code, operation, endpoint, method, status, at },
        actor: seen.actor,
        path: getPathBelowBase(request),
        params: readTextParams(request),
        query: request.url.split('?', 2)[1],
        durationMs: measureDurationMs(request),
        idempotencyKey: headers['idempotency-key']?.toString(),
        address: findClientAddress(app, request),
        userAgent: headers['user-agent'],
        requestBody: Buffer.isBuffer(request.body) ? request.body.toString() : undefined,
        responseBody: body === '' ? undefined : body,
      })
    })
  }
}
