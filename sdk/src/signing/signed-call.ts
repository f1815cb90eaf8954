import type { Input, SignedName } from '../client/calls.ts'
import { bytesFromText, hexFromBytes, sha256 } from '../crypto/bytes.ts'
import { SIGNED_TARGETS } from '../generated/signing.ts'
import { toCanonicalJson } from '../json/json.ts'
import type { SignedOperation } from './statement.ts'

/** A call that a wallet signs for, as this side knows it. The payload is checked against it. */
export interface SignedCall {
  /** The name of the operation in the contract: `card_update`. */
  readonly operation: SignedOperation
  /**
   * Method and path below the base address, nothing escaped: `PATCH /cards/Card:…`. Left out only where this side does
   * not know which quote is paid: then only the payload itself describes the payment, and `confirm` shows that.
   */
  readonly target?: string | undefined
  /** The body as it was sent; absent where there is none. */
  readonly body?: unknown
}

/** These calls execute a quote, and the wallet signs for the quote: one signature is valid for each of them. */
const EXECUTIONS: ReadonlySet<SignedName> = new Set([
  'agent_action_approve',
  'agent_me_quote_execute',
  'transaction_approve',
])

/** The call that a wallet signs for when `name` is called with `input`. */
export function signedCall<N extends SignedName>(name: N, input: Input<N>): SignedCall {
  const { params = {}, body } = input as {
    readonly params?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  if (EXECUTIONS.has(name))
    return { operation: 'quote_execute', target: params.quoteId && executionTarget(params.quoteId) }
  const target = SIGNED_TARGETS[name].replaceAll(/\{(\w+)\}/g, (_, param: string) => String(params[param]))
  return { operation: name as SignedOperation, target, body }
}

/** Method and path of the execution of a quote, as payloads name it. */
export function executionTarget(quoteId: string): string {
  return `POST /quotes/${quoteId}/execute`
}

/** SHA-256 of the canonical text of a body, in hex. A missing body counts as `null`. */
export async function bodySha256(body: unknown): Promise<string> {
  return hexFromBytes(await sha256(bytesFromText(toCanonicalJson(body))))
}
