import { isObject } from '../json/json.ts'
import { systemClock } from '../time/system-clock.ts'
import { checkTransfers } from './chain-transfers.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { hashBody, type SignedCall } from './signed-call.ts'
import { isPayment, readPayload, type Statement } from './statement.ts'

/** The caller's own knowledge of the call to be signed. */
export interface Expectation extends SignedCall {
  /** The wallet whose session signs. */
  readonly account: string
  /**
   * The `requestId` of the 202 response, if the caller received it. It is sent in the `Request-Id` header.
   */
  readonly requestId?: string | undefined
  /** When the 202 response or the quote expires. ISO 8601. */
  readonly expiresAt?: string | undefined
  /** The key to which a secret will be sealed, unless the body contains it. */
  readonly clientPublicKey?: string
}

/** A payload checked against its call, which may be signed. */
export class CheckedPayload {
  /** The exact text to sign. */
  readonly text: string
  /** The parsed payload. */
  readonly statement: Statement
  readonly #isChecked = true

  private constructor(text: string, statement: Statement) {
    this.text = text
    this.statement = statement
  }

  /**
   * Checks a `payloadToSign` against the call that it authorizes: operation, method and path, account,
   * request, expiry, body hash, the key to which a secret will be sealed, and chain transfers. Rejects with
   * PayloadMismatchError naming the field that differs. The payee can only be checked by the customer, so a
   * payment is shown before it is signed, see `Confirm`.
   */
  static async check(payloadToSign: string, expected: Expectation): Promise<CheckedPayload> {
    const statement = readPayload(payloadToSign)
    const { target, requestId, expiresAt, body, clientPublicKey = getClientPublicKey(body) } = expected
    requireEqual('operation', statement.operation, expected.operation)
    if (target !== undefined) requireEqual('target', statement.target, target)
    requireEqual('account', statement.account, expected.account)
    if (requestId !== undefined) requireEqual('requestId', statement.requestId, requestId)
    if (expiresAt !== undefined)
      requireEqual('expiresAt', parseInstant(statement.expiresAt), parseInstant(expiresAt))
    if (!(parseInstant(statement.expiresAt) > systemClock()))
      throw new PayloadMismatchError('expiresAt', 'has expired by the clock of this device')
    requireEqual('bodySha256', statement.bodySha256, await hashBody(body))
    if ('clientPublicKey' in statement)
      requireEqual('clientPublicKey', statement.clientPublicKey, clientPublicKey)
    if (isPayment(statement)) checkTransfers(statement)
    return new CheckedPayload(payloadToSign, statement)
  }

  /** True if this object was created by `check`, which types cannot guarantee in plain JavaScript. */
  static isOne(value: unknown): value is CheckedPayload {
    return typeof value === 'object' && value !== null && #isChecked in value
  }
}

function requireEqual(member: string, actual: unknown, expected: unknown): void {
  if (actual !== expected)
    throw new PayloadMismatchError(member, `is ${String(actual)}, but ${String(expected)} was expected`)
}

function getClientPublicKey(body: unknown): unknown {
  return isObject(body) ? body.clientPublicKey : undefined
}

function parseInstant(text: string): number {
  return new Date(text).getTime()
}
