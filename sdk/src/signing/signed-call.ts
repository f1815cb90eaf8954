import type { AnyInput, Input, SignedName } from '../client/calls.ts'
import { bytesFromText, hexFromBytes, sha256 } from '../crypto/bytes.ts'
import { SIGNED_TARGETS } from '../generated/signing.ts'
import { toCanonicalJson } from '../json/json.ts'
import { isOperation, type SignedOperation } from './statement.ts'

/** A call that a wallet signs for, as this side knows it. The payload is checked against it. */
export interface SignedCall {
  /** The name of the operation in the contract: `card_update`. */
  readonly operation: SignedOperation
  /**
   * Method and path below the base address, unescaped: `PATCH /cards/Card:…`. Omitted only if this side does
   * not know the quote: then only the payload describes the payment, and `confirm` shows it.
   */
  readonly target?: string | undefined
  /** The body as sent; absent without one. */
  readonly body?: unknown
}

/**
 * The call that a wallet signs when `name` is called with `input`. A call without its own payload executes a
 * quote, and the wallet signs that: one signature is valid for each of them.
 */
export function signedCall<N extends SignedName>(name: N, input: Input<N>): SignedCall
export function signedCall(name: SignedName, input: Pick<AnyInput, 'params' | 'body'>): SignedCall
export function signedCall(name: SignedName, input: object): SignedCall {
  const { params: given, body }: Pick<AnyInput, 'params' | 'body'> = input
  const params: Readonly<Record<string, unknown>> = { ...given }
  if (!isOperation(name)) {
    const { quoteId } = params
    const target = typeof quoteId === 'string' ? executionTarget(quoteId) : undefined
    return { operation: 'quote_execute', target }
  }
  const target = SIGNED_TARGETS[name].replaceAll(/\{(\w+)\}/g, (_, param: string) => String(params[param]))
  return { operation: name, target, body }
}

/** True if a wallet signs for this call. */
export function isSignedName(name: string): name is SignedName {
  return Object.hasOwn(SIGNED_TARGETS, name)
}

/** A quote execution's method and path, as payloads name it. */
export function executionTarget(quoteId: string): string {
  return `POST /quotes/${quoteId}/execute`
}

/** SHA-256 of a body's canonical text, in hex. A missing body counts as `null`. */
export async function bodySha256(body: unknown): Promise<string> {
  return hexFromBytes(await sha256(bytesFromText(toCanonicalJson(body))))
}
