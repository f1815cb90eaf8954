import type { ServerResponse } from 'node:http'
import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { LAST_EVENT_ID } from '@countersign/contract/events/event-stream'
import type { FastifyRequest } from 'fastify'
import type { App } from '../../../kernel/operation/app.ts'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { admit } from '../authentication/authenticate.ts'
import type { Head, HttpResponse } from '../request/call.ts'
import type { Fault } from '../request/validate.ts'

/** The query of a stream. A reconnecting browser sends the id of the last received event in a header. */
export function queryWithLastEvent({ query, headers }: FastifyRequest): unknown {
  const last = headers[LAST_EVENT_ID.toLowerCase()]
  return last && isObject(query) ? { ...query, after: last } : query
}

/** Renames the field `after` in an error to the header that it came from. Other responses are unchanged. */
export function nameLastEventHeader(
  { headers }: Pick<FastifyRequest, 'headers'>,
  answer: HttpResponse,
): HttpResponse {
  if (answer.status < 400 || !headers[LAST_EVENT_ID.toLowerCase()]) return answer
  const { message, details, ...fields }: RefusalBody = JSON.parse(answer.body)
  if (details?.field !== 'after') return answer
  const nameField = (text: string) => text.replace(/^after\b/, LAST_EVENT_ID)
  const errors = details.errors?.map((error) => ({
    field: nameField(error.field),
    message: nameField(error.message),
  }))
  const changed = { ...details, field: LAST_EVENT_ID, ...(errors ? { errors } : {}) }
  return { ...answer, body: JSON.stringify({ ...fields, message: nameField(message), details: changed }) }
}

interface RefusalBody {
  readonly message: string
  readonly details?: { readonly field?: string; readonly errors?: readonly Fault[] }
}

/**
 * Ends a streamed response when its caller loses access. The caller is authenticated again before each piece.
 */
export function endWhenNotAdmitted(
  app: App,
  endpoint: Endpoint,
  head: Head,
  answer: HttpResponse,
): HttpResponse {
  const pieces = answer.pieces?.[Symbol.asyncIterator]()
  if (!pieces) return answer
  const platformId = head.trace.platformId
  const isAdmitted = async () => {
    try {
      // After a reset, the same credentials belong to another platform.
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

/** The maximum time for which a reader may leave sent data unread. */
const STALL_MS = 30_000

/** Closes the connection of a stalled reader, because unsent data stays in memory. */
export function closeStalled(response: ServerResponse, stallMs = STALL_MS): void {
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
