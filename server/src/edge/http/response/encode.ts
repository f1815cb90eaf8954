import { type Endpoint, TEXT_TYPES } from '@countersign/contract/core/endpoint'
import type { WireSpelling } from '@countersign/contract/core/wire-word'
import { parseJson, toJson } from '../../../base/json/json.ts'
import type { App } from '../../../kernel/operation/app.ts'
import type { AnswerText, ApiError } from '../../../kernel/operation/operation.ts'
import type { Answer } from '../request/call.ts'
import { validator } from '../request/validate.ts'
import { encodeError } from './errors.ts'

const NO_HEADERS = {}

/** What a handler answers: JSON, or a text. */
interface Told {
  readonly status: number
  readonly body?: unknown
  readonly text?: AnswerText
}

/** Encodes the answer of a handler, with the names as the interface spells them; one without a body is empty. */
export function encode({ status, body, text }: Told, wire: WireSpelling): Answer {
  if (text) return { status, headers: textHeaders(text), body: '', pieces: piecesOf(text) }
  return { status, headers: NO_HEADERS, body: body === undefined ? '' : toJson(wire.outward(body)) }
}

function textHeaders({ type, fileName, headers }: AnswerText): Readonly<Record<string, string>> {
  return {
    'Content-Type': `${TEXT_TYPES[type]}; charset=utf-8`,
    ...(fileName === undefined ? {} : { 'Content-Disposition': `attachment; filename="${fileName}"` }),
    ...headers,
  }
}

function piecesOf({ pieces }: AnswerText): AsyncIterable<string> {
  return Symbol.asyncIterator in pieces ? pieces : inTurn(pieces)
}

async function* inTurn(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces
}

/**
 * Makes the first piece of a text, so that a fault until then has an answer of its own. A fault after it breaks the
 * connection off, and `failed` is told.
 */
export async function begun(answer: Answer, failed: (error: unknown) => void): Promise<Answer> {
  if (!answer.pieces) return answer
  const pieces = answer.pieces[Symbol.asyncIterator]()
  const first = await pieces.next().catch(async (error: unknown) => {
    await pieces.return?.()
    throw error
  })
  return { ...answer, pieces: resumed(first, pieces, failed) }
}

/** The first piece and those after it. A reader that stops ends the pieces, also while one is being made. */
function resumed(
  first: IteratorResult<string>,
  pieces: AsyncIterator<string>,
  failed: (error: unknown) => void,
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
        failed(error)
        throw error
      }
    },
    async return() {
      await pieces.return?.()
      return { done: true, value: undefined }
    },
  }
}

/** Encodes a refusal. */
export function encodeRefusal(refusal: ApiError, app: Pick<App, 'origin' | 'wire'>): Answer {
  const { status, headers, body } = encodeError(refusal, app.origin(), app.wire)
  return { status, headers, body: toJson(body) }
}

export type AnswerCheck = (outcome: Told) => void

/** Checks answers against the contract, in tests all of them. Throws where one does not match. */
export function createAnswerCheck({ method, path, responses, texts = [] }: Endpoint): AnswerCheck {
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
      throw new Error(`${method} ${path} does not declare a text of type ${text.type}`)
    if (text) return
    try {
      check?.(parseJson(toJson(body)))
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      throw new Error(`${method} ${path} answered outside its schema: ${what}`)
    }
  }
}
