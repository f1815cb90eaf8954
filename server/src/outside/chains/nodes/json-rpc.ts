import { isObject } from '@countersign/contract/core/decode'
import { textFromUtf8 } from '../../../base/crypto/encodings.ts'
import { type Answer, NoResponse } from '../../../base/http-client/answer.ts'
import { PAYMENT_SERVICE, send } from '../../../base/http-client/send.ts'
import { toJson } from '../../../base/json/json.ts'
import { type JsonLimits, readJson } from '../../../base/json/json-reader.ts'
import { NodeFailure, Refusal } from './failure.ts'

/** A node's URL and limits. */
export interface Endpoint {
  readonly url: string
  readonly timeoutMs: number
  readonly bytesMax: number
}

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

const JSON_LIMITS: JsonLimits = { depthMax: 16, valuesMax: 2_000_000 }
const MESSAGE_LENGTH_MAX = 200
const TOO_MANY_REQUESTS = 429

/** Makes one JSON-RPC 2.0 call. Throws NodeFailure, or Refusal if the response is an error object. */
export async function callNode(endpoint: Endpoint, call: RpcCall): Promise<unknown> {
  const { status, value } = await post(endpoint, { jsonrpc: '2.0', id: 0, ...call })
  const result = readResult(value, 0)
  if (result instanceof Refusal) throw result
  if (status !== 200) throw new NodeFailure('NO_ANSWER', `returned HTTP status ${status}`)
  return result
}

/**
 * Makes several calls in one request, and returns their results or refusals in the same order. Undefined if
 * the node accepts no batches, or none of this size. Throws NodeFailure.
 */
export async function callNodeInBatch(
  endpoint: Endpoint,
  calls: readonly RpcCall[],
): Promise<readonly unknown[] | undefined> {
  const { status, value } = await post(
    endpoint,
    calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })),
  )
  if (isObject(value) && isObject(value.error)) return undefined
  if (status !== 200) throw new NodeFailure('NO_ANSWER', `returned HTTP status ${status}`)
  if (!Array.isArray(value) || value.length !== calls.length)
    throw new NodeFailure('BAD_ANSWER', 'The response to a batch has a different number of parts')
  // Responses may come in any order.
  const byId = new Map(value.map((part: unknown) => [isObject(part) ? part.id : undefined, part]))
  return calls.map((_, id) => readResult(byId.get(id), id))
}

/**
 * The result in a response, or the node's refusal. Undefined if the response has neither, which every reader
 * rejects.
 */
function readResult(value: unknown, id: number): unknown {
  if (!isObject(value)) throw new NodeFailure('BAD_ANSWER', 'A response is not an object')
  if (isObject(value.error)) {
    // An error may come without an id if the node could not even parse the request.
    if (value.id !== id && value.id !== null && value.id !== undefined) throw createWrongIdError()
    const { code, message, data } = value.error
    return new Refusal(typeof code === 'number' ? code : 0, toLogLine(message), data)
  }
  if (value.id !== id) throw createWrongIdError()
  return value.result
}

function createWrongIdError(): NodeFailure {
  return new NodeFailure('BAD_ANSWER', 'A response has the id of another request')
}

/** Shortens a node's message to one line for the log. */
function toLogLine(message: unknown): string {
  if (typeof message !== 'string') return ''
  const line = message.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  return line.slice(0, MESSAGE_LENGTH_MAX)
}

async function post(
  { url, timeoutMs, bytesMax }: Endpoint,
  content: object,
): Promise<{ readonly status: number; readonly value: unknown }> {
  let response: Answer
  try {
    response = await send(
      {
        method: 'POST',
        url,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
        body: Buffer.from(toJson(content)),
      },
      // The HTTP client may retry any of these calls, including one that sends a signed transaction.
      { ...PAYMENT_SERVICE, timeoutMs, bytesMax },
    )
  } catch (error) {
    if (error instanceof NoResponse) throw new NodeFailure('NO_ANSWER', `cannot be reached: ${error.code}`)
    throw error
  }
  const { status } = response
  if (status === TOO_MANY_REQUESTS) throw new NodeFailure('NO_ANSWER', 'currently accepts no more requests')
  if (!response.isComplete) throw new NodeFailure('TOO_LONG', `returned more than ${bytesMax} bytes`)
  const value = parseJson(response.body)
  if (value === undefined) {
    if (status !== 200) throw new NodeFailure('NO_ANSWER', `returned HTTP status ${status}`)
    throw new NodeFailure('BAD_ANSWER', 'The response is not JSON')
  }
  return { status, value }
}

/** Parses JSON. Undefined if it is invalid or exceeds the limits. */
function parseJson(body: Uint8Array): unknown {
  const text = textFromUtf8(body)
  if (text === undefined) return undefined
  try {
    return readJson(text, JSON_LIMITS)
  } catch {
    return undefined
  }
}
