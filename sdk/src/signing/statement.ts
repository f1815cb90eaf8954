import { PAYLOAD_NODES, PAYLOAD_ROOTS } from '../generated/signing.ts'
import type { Payloads } from '../generated/types.ts'
import { isObject, parseJson, toJson } from '../json/json.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { parseNodes, readStrictly } from './strict-reader.ts'

/**
 * The content of a payload. `operation` is its kind, `summary` a sentence for the signer, and the remaining
 * fields are the same information as data. Amounts are `bigint`.
 */
export type Statement = Payloads[SignedOperation]

/** The operations signed by a wallet. */
export type SignedOperation = keyof Payloads

/**
 * A payment from a wallet. `sends` leaves the wallet, including fees, and `delivers` arrives at
 * `destination`.
 */
export type Payment = Payloads['quote_execute']

export function isPayment(statement: Statement): statement is Payment {
  return statement.operation === 'quote_execute'
}

let nodes: readonly unknown[] | undefined

/**
 * Parses a `payloadToSign` without comparing it with a request (`checkPayload` does that). Throws
 * PayloadMismatchError for duplicate or unknown fields, unknown kinds, and any serialization other than the
 * server's, so that the displayed text is exactly the signed text.
 */
export function readPayload(payloadToSign: string): Statement {
  const value = parseCompactJson(payloadToSign)
  const { operation } = value
  if (!isOperation(operation))
    throw new PayloadMismatchError('operation', 'is not an operation that a wallet signs')
  nodes ??= parseNodes(PAYLOAD_NODES)
  const statement = readStrictly(nodes, PAYLOAD_ROOTS[operation], value, '') as Statement
  // The payload contains the quote's id twice.
  if (isPayment(statement) && statement.target !== `POST /quotes/${statement.quote}/execute`)
    throw new PayloadMismatchError('quote', 'differs from the quote in target')
  return statement
}

/**
 * Parses a payload for display. Undefined if `readPayload` throws, as for the token of a sign-in by
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

/**
 * Flattens part of a statement into pairs of path and value, in order to show all of it:
 * `['accountInfo.iban', 'DE89…']`.
 */
export function membersOf(part: object, path = ''): [path: string, text: string][] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? membersOf(value, `${path}${name}.`)
      : ([[path + name, String(value)]] satisfies [string, string][]),
  )
}

/** True if this operation has its own type of payload. */
export function isOperation(operation: unknown): operation is SignedOperation {
  return typeof operation === 'string' && Object.hasOwn(PAYLOAD_ROOTS, operation)
}

/** Parses a compact JSON object. Rejects any other serialization, such as one with a duplicate field. */
function parseCompactJson(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    // Invalid JSON is rejected below.
  }
  if (!isObject(value) || toJson(value) !== text)
    throw new PayloadMismatchError('payloadToSign', 'is not a compact JSON object')
  return value
}
