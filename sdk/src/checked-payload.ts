import { isObject } from '@countersign/contract/core/decode'
import { PayloadMismatchError } from './payload-mismatch.ts'
import { bodySha256, type SignedCall } from './signed-call.ts'
import { readPayload, type Statement } from './statement.ts'
import { systemClock } from './system-clock.ts'

/** What this side knows by itself of what it is about to sign. */
export interface Expectation extends SignedCall {
  /** The wallet whose session signs. */
  readonly account: string
  /** Of the 202 answer, where it came here: what goes into the `Request-Id` header. */
  readonly requestId?: string | undefined
  /** Of that answer, or of the quote. ISO 8601. */
  readonly expiresAt?: string | undefined
  /** The key that a secret will be sealed to, where it does not stand in the body. */
  readonly clientPublicKey?: string
}

/** A payload that was held against what was asked for, and can be signed. */
export class CheckedPayload {
  /** What is signed, to the character. */
  readonly text: string
  /** What it says. */
  readonly statement: Statement
  readonly #isChecked = true

  private constructor(text: string, statement: Statement) {
    this.text = text
    this.statement = statement
  }

  /**
   * Holds a `payloadToSign` against the call that it is to authorize: operation, method and path, account, request,
   * expiry, the hash of the body and the key that a secret will be sealed to. Rejects with PayloadMismatchError, which
   * names the member that differs. What it cannot know is whether the customer wants this payee: a payment is shown,
   * see `Confirm`.
   */
  static async check(payloadToSign: string, expected: Expectation): Promise<CheckedPayload> {
    const statement = readPayload(payloadToSign)
    const { target, requestId, expiresAt, body, clientPublicKey = keyIn(body) } = expected
    hold('operation', statement.operation, expected.operation)
    if (target !== undefined) hold('target', statement.target, target)
    hold('account', statement.account, expected.account)
    if (requestId !== undefined) hold('requestId', statement.requestId, requestId)
    if (expiresAt !== undefined) hold('expiresAt', instant(statement.expiresAt), instant(expiresAt))
    if (!(instant(statement.expiresAt) > systemClock()))
      throw new PayloadMismatchError('expiresAt', 'is over by the clock of this device')
    hold('bodySha256', statement.bodySha256, await bodySha256(body))
    if ('clientPublicKey' in statement) hold('clientPublicKey', statement.clientPublicKey, clientPublicKey)
    return new CheckedPayload(payloadToSign, statement)
  }

  /** Whether this has been checked: plain JavaScript has no types that would tell. */
  static isOne(value: unknown): value is CheckedPayload {
    return typeof value === 'object' && value !== null && #isChecked in value
  }
}

function hold(member: string, found: unknown, expected: unknown): void {
  if (found !== expected)
    throw new PayloadMismatchError(member, `is ${String(found)} where ${String(expected)} was asked for`)
}

function keyIn(body: unknown): unknown {
  return isObject(body) ? body.clientPublicKey : undefined
}

function instant(text: string): number {
  return new Date(text).getTime()
}
