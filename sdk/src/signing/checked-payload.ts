import { isObject } from '../json/json.ts'
import { systemClock } from '../time/system-clock.ts'
import { checkTransfers } from './chain-transfers.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { bodySha256, type SignedCall } from './signed-call.ts'
import { isPayment, readPayload, type Statement } from './statement.ts'

/** The caller's own knowledge of the call that it is about to sign. */
export interface Expectation extends SignedCall {
  /** The wallet whose session signs. */
  readonly account: string
  /** The `requestId` of the 202 response, if this side received it. It is sent in the `Request-Id` header. */
  readonly requestId?: string | undefined
  /** When that response or the quote expires. ISO 8601. */
  readonly expiresAt?: string | undefined
  /** The key that a secret will be sealed to, if the body does not contain it. */
  readonly clientPublicKey?: string
}

/** A payload checked against its call, which can be signed. */
export class CheckedPayload {
  /** The exact signed text. */
  readonly text: string
  /** The payload as data. */
  readonly statement: Statement
  readonly #isChecked = true

  private constructor(text: string, statement: Statement) {
    this.text = text
    this.statement = statement
  }

  /**
   * Checks a `payloadToSign` against the call that it authorizes: operation, method and path, account,
   * request, expiry, the hash of the body, the key that a secret will be sealed to, and chain transfers.
   * Rejects with PayloadMismatchError, which names the field that differs. Only the customer can check the
   * payee, so a payment is shown first, see `Confirm`.
   */
  static async check(payloadToSign: string, expected: Expectation): Promise<CheckedPayload> {
    const statement = readPayload(payloadToSign)
    const { target, requestId, expiresAt, body, clientPublicKey = keyIn(body) } = expected
    hold('operation', statement.operation, expected.operation)
    if (target !== undefined) hold('target', statement.target, target)
    hold('account', statement.account, expected.account)
    if (requestId !== undefined) hold('requestId', statement.requestId, requestId)
    if (expiresAt !== undefined) hold('expiresAt', parseInstant(statement.expiresAt), parseInstant(expiresAt))
    if (!(parseInstant(statement.expiresAt) > systemClock()))
      throw new PayloadMismatchError('expiresAt', 'has expired by the clock of this device')
    hold('bodySha256', statement.bodySha256, await bodySha256(body))
    if ('clientPublicKey' in statement) hold('clientPublicKey', statement.clientPublicKey, clientPublicKey)
    if (isPayment(statement)) checkTransfers(statement)
    return new CheckedPayload(payloadToSign, statement)
  }

  /** True if `check` made this object. In plain JavaScript no type proves it. */
  static isOne(value: unknown): value is CheckedPayload {
    return typeof value === 'object' && value !== null && #isChecked in value
  }
}

function hold(member: string, found: unknown, expected: unknown): void {
  if (found !== expected)
    throw new PayloadMismatchError(member, `is ${String(found)}, but ${String(expected)} was expected`)
}

function keyIn(body: unknown): unknown {
  return isObject(body) ? body.clientPublicKey : undefined
}

function parseInstant(text: string): number {
  return new Date(text).getTime()
}
