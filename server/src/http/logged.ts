import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestLog } from '../audit/request-log.ts'
import type { App } from '../op/app.ts'
import type { Answer } from './call.ts'
import { pathShown } from './observe.ts'

/** Gives a request and its answer to the request log, once the answer was sent. */
export type Keep = (request: FastifyRequest, reply: FastifyReply, answer: Answer) => void

/** A request without a platform, such as one with credentials that nobody has, is nobody's to see. */
export function keeping(app: App, operation: string, add: RequestLog['add']): Keep {
  return (request, reply, { status, body }) => {
    const { trace, headers, method, ip, seen } = request
    const at = app.clock()
    reply.raw.once('close', () => {
      const { platformId, requestId, code } = trace
      if (platformId === undefined) return
      add({
        ...{ platformId, requestId, code, operation, method, status, at },
        actor: seen.actor,
        path: pathShown(request),
        query: request.url.split('?', 2)[1],
        durationMs: reply.elapsedTime,
        idempotencyKey: headers['idempotency-key'] as string | undefined,
        address: ip,
        userAgent: headers['user-agent'],
        requestBody: Buffer.isBuffer(request.body) ? request.body.toString() : undefined,
        responseBody: body === '' ? undefined : body,
      })
    })
  }
}
