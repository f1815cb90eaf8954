import { timeOfRequestId } from '@countersign/contract/operation/audit-events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LoggedEndpoint, RequestLog } from '../../../kernel/audit/request-log.ts'
import type { App } from '../../../kernel/operation/app.ts'
import { addressOf } from '../request/address.ts'
import type { Answer } from '../request/call.ts'
import { durationMsOf, pathBelowBase, textParams } from './request-lines.ts'

/** Gives a request and its answer to the request log, once the answer was sent. */
export type Keep = (request: FastifyRequest, reply: FastifyReply, answer: Answer) => void

/** A request without a platform, such as one with credentials that nobody has, is nobody's to see. */
export function keeping(app: App, operation: string, endpoint: LoggedEndpoint, add: RequestLog['add']): Keep {
  return (request, reply, { status, body }) => {
    const { trace, headers, method, seen } = request
    reply.raw.once('close', () => {
      const { platformId, httpRequestId, callerRequestId, code } = trace
      if (platformId === undefined) return
      const at = timeOfRequestId(httpRequestId) ?? app.clock()
      add({
        ...{ platformId, httpRequestId, callerRequestId, code, operation, endpoint, method, status, at },
        actor: seen.actor,
        path: pathBelowBase(request),
        params: textParams(request),
        query: request.url.split('?', 2)[1],
        durationMs: durationMsOf(request),
        idempotencyKey: headers['idempotency-key']?.toString(),
        address: addressOf(app, request),
        userAgent: headers['user-agent'],
        requestBody: Buffer.isBuffer(request.body) ? request.body.toString() : undefined,
        responseBody: body === '' ? undefined : body,
      })
    })
  }
}
