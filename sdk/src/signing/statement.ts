import { PAYLOAD_NODES, PAYLOAD_ROOTS } from '../generated/signing.ts'
import type { Payloads } from '../generated/types.ts'
import { isObject, parseJson, toJson } from '../json/json.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { nodesOf, readStrictly } from './strict-reader.ts'

/**
 * The content of a payload: `operation` is its kind, `summary` is a sentence for the person who signs, and
 * the other fields are the same as data. Amounts are `bigint`.
 */
export type Statement = Payloads[SignedOperation]

/** The operations that a wallet signs for. */
export type SignedOperation = keyof Payloads

/** A payment of a wallet: `sends` leaves it, fees included, and `delivers` arrives at `destination`. */
export type Payment = Payloads['quote_execute']

export function isPayment(statement: Statement): statement is Payment {
  return statement.operation === 'quote_execute'
}

let nodes: readonly unknown[] | undefined

/**
 * Reads a whole `payloadToSign`, but does not compare it with a request: `checkPayload` does. Throws
 * PayloadMismatchError for duplicate or unknown fields, unknown kinds, and any other spelling than the
 * server's, so that the shown text is the signed text.
 */
export function readPayload(payloadToSign: string): Statement {
  const value = parseCompactJson(payloadToSign)
  const { operation } = value
  if (!isOperation(operation))
    throw new PayloadMismatchError('operation', 'is not one that a wallet signs for')
  nodes ??= nodesOf(PAYLOAD_NODES)
  const statement = readStrictly(nodes, PAYLOAD_ROOTS[operation], value, '') as Statement
  // The payload names the quote twice.
  if (isPayment(statement) && statement.target !== `POST /quotes/${statement.quote}/execute`)
    throw new PayloadMismatchError('quote', 'is not the quote of target')
  return statement
}

/**
 * The statement of a payload, to show it; undefined if `readPayload` throws, as for the token of a sign-in by
 * code.
 */
export function statementOf(payloadToSign: string): Statement | undefined {
  try {
    return readPayload(payloadToSign)
  } catch (error) {
    if (error instanceof PayloadMismatchError) return undefined
    throw error
  }
}

/** Every field of a statement's part with its path, to show all of it: `['accountInfo.iban', 'DE89…']`. */
export function membersOf(part: object, path = ''): [path: string, text: string][] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? membersOf(value, `${path}${name}.`)
      : ([[path + name, String(value)]] satisfies [string, string][]),
  )
}

/** True if this operation has its own payload. */
export function isOperation(operation: unknown): operation is SignedOperation {
  return typeof operation === 'string' && Object.hasOwn(PAYLOAD_ROOTS, operation)
}

/** The object of compact JSON. A text with another spelling, such as a duplicate field, is refused. */
function parseCompactJson(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    // Not JSON. The check below refuses it.
  }
  if (!isObject(value) || toJson(value) !== text)
    throw new PayloadMismatchError('payloadToSign', 'is not compact JSON of an object')
  return value
}
