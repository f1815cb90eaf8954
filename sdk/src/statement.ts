import { isObject } from '@countersign/contract/core/decode'
import { PAYLOADS, type Payload } from '@countersign/contract/signing/payloads'
import { parseJson, toJson } from './json.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { readStrictly } from './strict.ts'

/**
 * What a payload says it authorizes: `operation` tells the kinds apart, `summary` is a sentence for the person who
 * signs, the other members are the same in data. Amounts are `bigint`.
 */
export type Statement = Payload

/** What a wallet pays, to whom: `sends` leaves it, fees included, and `delivers` arrives at `destination`. */
export type Payment = Payload<'quote_execute'>

export function isPayment(statement: Statement): statement is Payment {
  return statement.operation === 'quote_execute'
}

/**
 * Reads a `payloadToSign`, all of it: what has members twice, members or kinds that the contract does not know, or
 * another spelling than the server's is refused, so that what is shown is what is signed. It says nothing of whether
 * this is what was asked for: `checkPayload` does. Throws PayloadMismatchError.
 */
export function readPayload(payloadToSign: string): Statement {
  const value = parsed(payloadToSign)
  const { operation } = value
  if (!isOperation(operation))
    throw new PayloadMismatchError('operation', 'is not one that a wallet signs for')
  const statement = readStrictly(PAYLOADS[operation], value, '') as Statement
  // The quote stands twice in it.
  if (isPayment(statement) && statement.target !== `POST /quotes/${statement.quote}/execute`)
    throw new PayloadMismatchError('quote', 'is not the one of target')
  return statement
}

/** The words of a payload to show; undefined where `readPayload` throws, as for the token of a sign-in by code. */
export function statementOf(payloadToSign: string): Statement | undefined {
  try {
    return readPayload(payloadToSign)
  } catch (error) {
    if (error instanceof PayloadMismatchError) return undefined
    throw error
  }
}

/** Every member of a part of a statement with its path, to show all of it: `['accountInfo.iban', 'DE89…']`. */
export function membersOf(part: object, path = ''): [path: string, text: string][] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? membersOf(value, `${path}${name}.`)
      : ([[path + name, String(value)]] satisfies [string, string][]),
  )
}

function isOperation(operation: unknown): operation is keyof typeof PAYLOADS {
  return typeof operation === 'string' && Object.hasOwn(PAYLOADS, operation)
}

/** The object that compact JSON spells. Of any other spelling, a member given twice too, another text would be made. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    // Not JSON, as the line below finds.
  }
  if (!isObject(value) || toJson(value) !== text)
    throw new PayloadMismatchError('payloadToSign', 'is not compact JSON of an object')
  return value
}
