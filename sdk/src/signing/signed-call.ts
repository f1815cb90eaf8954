import type { AnyInput, Input, SignedName } from '../client/calls.ts'
import { bytesFromText, hexFromBytes, sha256 } from '../crypto/bytes.ts'
import { SIGNED_TARGETS } from '../generated/signing.ts'
import { toCanonicalJson } from '../json/json.ts'
import { isOperation, type SignedOperation } from './statement.ts'

/** A call to be signed by a wallet, as the caller knows it. The payload is checked against it. */
export interface SignedCall {
  /** The operation's name in the contract, such as `card_update`. */
  readonly operation: SignedOperation
  /**
   * Method and path below the base address, unescaped: `PATCH /cards/Card:…`. Omitted only if the caller does
   * not know the quote. Then only the payload describes the payment, and `confirm` shows it.
   */
  readonly target?: string | undefined
  /** The body as sent. Omit it for a call without a body. */
  readonly body?: unknown
}

/**
 * Describes the call that a wallet signs when `name` is called with `input`. Calls without a separate payload
 * execute a quote. For these the wallet signs the quote's execution, so one signature is valid for all of
 * them.
 */
export function signedCall<N extends SignedName>(name: N, input: Input<N>): SignedCall
export function signedCall(name: SignedName, input: Pick<AnyInput, 'params' | 'body'>): SignedCall
export function signedCall(name: SignedName, input: object): SignedCall {
  const { params: rawParams, body }: Pick<AnyInput, 'params' | 'body'> = input
  const params: Readonly<Record<string, unknown>> = { ...rawParams }
  if (!isOperation(name)) {
    const { quoteId } = params
    const target = typeof quoteId === 'string' ? formatExecutionTarget(quoteId) : undefined
    return { operation: 'quote_execute', target }
  }
  const target = SIGNED_TARGETS[name].replaceAll(/\{(\w+)\}/g, (_, param: string) => String(params[param]))
  return { operation: name, target, body }
}

/** True if this call must be signed by a wallet. */
export function isSignedName(name: string): name is SignedName {
  return Object.hasOwn(SIGNED_TARGETS, name)
}

/** Method and path of a quote's execution, as payloads contain them. */
export function formatExecutionTarget(quoteId: string): string {
  return `POST /quotes/${quoteId}/execute`
}

/** SHA-256 of the body's canonical JSON, in hex. A missing body is hashed as `null`. */
export async function hashBody(body: unknown): Promise<string> {
  return hexFromBytes(await sha256(bytesFromText(toCanonicalJson(body))))
}
