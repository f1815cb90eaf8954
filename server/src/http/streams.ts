import type { ServerResponse } from 'node:http'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { LAST_EVENT_ID } from '@countersign/contract/events/event-stream'
import type { FastifyRequest } from 'fastify'
import type { App } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { admit } from './admission.ts'
import type { Answer, Head } from './call.ts'

/** The query of a stream. A browser that connects again says in a header what it has seen last. */
export function behindLastEvent({ query, headers }: FastifyRequest): unknown {
  const last = headers[LAST_EVENT_ID.toLowerCase()]
  return last ? { ...(query as object), after: last } : query
}

/**
 * An answer that ends once its caller would not be admitted any more: nothing is sent after that. The caller is asked for
 * again before each piece.
 */
export function whileAdmitted(app: App, endpoint: Endpoint, head: Head, answer: Answer): Answer {
  const pieces = answer.pieces?.[Symbol.asyncIterator]()
  if (!pieces) return answer
  const platformId = head.trace.platformId
  const isAdmitted = async () => {
    try {
      // After a reset, the credentials are those of another platform.
      return (await admit(app, endpoint, head)).platform.id === platformId
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }
  const end = async (): Promise<IteratorResult<string>> => {
    await pieces.return?.()
    return { done: true, value: undefined }
  }
  return {
    ...answer,
    pieces: {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const piece = await pieces.next()
          return piece.done || (await isAdmitted()) ? piece : end()
        },
        return: end,
      }),
    },
  }
}

/** How long a reader may leave what was sent to it. */
const STALL_MS = 30_000

/** Ends the connection of a reader that does not read: what is written for it stays in memory. */
export function endStalled(response: ServerResponse, stallMs = STALL_MS): void {
  let before: string | undefined
  const timer = setInterval(() => {
    const { writableLength: waiting, socket } = response
    const state = `${waiting} ${socket?.bytesWritten} ${socket?.writableLength}`
    const hasWaiting = waiting > 0 || (socket?.writableLength ?? 0) > 0
    if (hasWaiting && state === before) response.destroy()
    before = state
  }, stallMs)
  timer.unref()
  response.once('close', () => clearInterval(timer))
}
