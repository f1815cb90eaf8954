import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { SignedOperation } from '@countersign/contract/signing/payloads'
import type { Input, SignedName } from './calls.ts'
import { bytesFromText, hexFromBytes, sha256 } from './crypto/bytes.ts'
import { toCanonicalJson } from './json.ts'

/** A call that a wallet signs for: what this side knows of it, to be held against the payload. */
export interface SignedCall {
  /** The name in the contract of what is done: `card_update`. */
  readonly operation: SignedOperation
  /**
   * Method and path below the base address, nothing escaped: `PATCH /cards/Card:…`. Left out only where this side does
   * not know which quote is paid: then the payload's own words are all there is, and a payment is confirmed by them.
   */
  readonly target?: string | undefined
  /** As it was sent; left out where there is none. */
  readonly body?: unknown
}

/** What these calls do is execute a quote, and the wallet signs for that: one signature is good at every place. */
const EXECUTIONS: ReadonlySet<SignedName> = new Set([
  'agent_action_approve',
  'agent_me_quote_execute',
  'transaction_approve',
])

/** The call that the wallet signs for when `name` is called with `input`. */
export function signedCall<N extends SignedName>(name: N, input: Input<N>): SignedCall {
  const { params = {}, body } = input as {
    readonly params?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  if (EXECUTIONS.has(name))
    return { operation: 'quote_execute', target: params.quoteId && executionTarget(params.quoteId) }
  const { method, path }: Endpoint = API[name]
  const target = `${method} ${path.replaceAll(/\{(\w+)\}/g, (_, param: string) => String(params[param]))}`
  return { operation: name as SignedOperation, target, body }
}

/** Where a quote is executed, as payloads name it. */
export function executionTarget(quoteId: string): string {
  return `POST /quotes/${quoteId}/execute`
}

/** SHA-256 of the canonical text of a body, in hex; of none, that of `null`. */
export async function bodySha256(body: unknown): Promise<string> {
  return hexFromBytes(await sha256(bytesFromText(toCanonicalJson(body))))
}
