import { parseJson } from './json.ts'

/** What a payload to sign says it authorizes. Members beyond these depend on the operation. */
export interface Statement {
  /** The endpoint's name in the contract: `quote_execute`. */
  readonly operation: string
  /** One sentence for the person who signs. */
  readonly summary?: string
  /** The account whose session signs. */
  readonly account: string
  readonly [member: string]: unknown
}

/**
 * Reads the words of a `payloadToSign`, to show them before it is signed; undefined where it is not of that form, as
 * the token of a sign-in is not. Amounts beyond 2^53 are `bigint`. Sign the payload itself, never what is read here.
 */
export function statementOf(payloadToSign: string): Statement | undefined {
  let value: unknown
  try {
    value = parseJson(payloadToSign)
  } catch {
    return undefined
  }
  const isStatement =
    typeof value === 'object' && value !== null && 'operation' in value && typeof value.operation === 'string'
  return isStatement ? (value as Statement) : undefined
}
