import { type Endpoint, TEXT_TYPES } from '@countersign/contract/core/endpoint'
import type { WireSpelling } from '@countersign/contract/core/wire-word'
import { parseJson, toJson } from '../../../base/json/json.ts'
import type { App } from '../../../kernel/operation/app.ts'
import type { ApiError, TextBody } from '../../../kernel/operation/operation.ts'
import type { HttpResponse } from '../request/call.ts'
import { validator } from '../request/validate.ts'
import { encodeError } from './errors.ts'

const NO_HEADERS = {}

/** The result of a handler: JSON or text. */
interface HandlerResult {
  readonly status: number
  readonly body?: unknown
  readonly text?: TextBody
}

/** Encodes a handler's result, with names in the wire spelling. Without a body the response is empty. */
export function encode({ status, body, text }: HandlerResult, wire: WireSpelling): HttpResponse {
  if (text) return { status, headers: buildTextHeaders(text), body: '', pieces: getPieces(text) }
  return { status, headers: NO_HEADERS, body: body === undefined ? '' : toJson(wire.outward(body)) }
}

function buildTextHeaders({ type, fileName, headers }: TextBody): Readonly<Record<string, string>> {
  return {
    'Content-Type': `${TEXT_TYPES[type]}; charset=utf-8`,
    ...(fileName === undefined ? {} : { 'Content-Disposition': `attachment; filename="${fileName}"` }),
    ...headers,
  }
}

function getPieces({ pieces }: TextBody): AsyncIterable<string> {
  return Symbol.asyncIterator in pieces ? pieces : toAsyncIterable(pieces)
}

async function* toAsyncIterable(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces
}

/**
 * Produces the first piece of a text, so that an early error still becomes an error response. A later error
 * closes the connection and calls `onFailure`.
 */
export async function startStream(
  answer: HttpResponse,
  onFailure: (error: unknown) => void,
): Promise<HttpResponse> {
  if (!answer.pieces) return answer
  const pieces = answer.pieces[Symbol.asyncIterator]()
  const first = await pieces.next().catch(async (error: unknown) => {
    await pieces.return?.()
    throw error
  })
  return { ...answer, pieces: continueStream(first, pieces, onFailure) }
}

/**
 * Yields the first piece and the following ones. It ends when the reader stops, even while a piece is being
 * produced.
 */
function continueStream(
  first: IteratorResult<string>,
  pieces: AsyncIterator<string>,
  onFailure: (error: unknown) => void,
): AsyncIterableIterator<string> {
  let unread: IteratorResult<string> | undefined = first
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      const piece = unread
      unread = undefined
      if (piece) return piece
      try {
        return await pieces.next()
      } catch (error) {
        onFailure(error)
        throw error
      }
    },
    async return() {
      await pieces.return?.()
      return { done: true, value: undefined }
    },
  }
}

export function encodeRefusal(refusal: ApiError, app: Pick<App, 'origin' | 'wire'>): HttpResponse {
  const { status, headers, body } = encodeError(refusal, app.origin(), app.wire)
  return { status, headers, body: toJson(body) }
}

export type ResponseCheck = (outcome: HandlerResult) => void

/**
 * Creates a check of responses against the contract, which throws if one does not match. Tests check every
 * response.
 */
export function createResponseCheck({ method, path, responses, texts = [] }: Endpoint): ResponseCheck {
  const checks = new Map(
    Object.entries(responses).map(([status, schema]) => [
      Number(status),
      schema ? validator(schema, 'answer') : null,
    ]),
  )
  return ({ status, body, text }) => {
    const check = checks.get(status)
    if (check === undefined) throw new Error(`${method} ${path} does not declare status ${status}`)
    if (text && !(status === 200 && texts.includes(text.type)))
      throw new Error(`${method} ${path} does not declare a text response of type ${text.type}`)
    if (text) return
    try {
      check?.(parseJson(toJson(body)))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`${method} ${path} returned a response that does not match its schema: ${reason}`)
    }
  }
}
