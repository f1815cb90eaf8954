/**
 * Why a node cannot serve a query:
 * - NO_ANSWER: it is unreachable, too busy, or refuses
 * - BAD_ANSWER: its response is invalid
 * - TOO_LONG: its response exceeds the limit
 * - OTHER_BRANCH: its response does not belong to the block that it names
 */
export type FailureKind =
  | 'NO_ANSWER'
  | 'BAD_ANSWER'
  | 'TOO_LONG'
  | 'OTHER_BRANCH'
  | 'BEHIND'
  | 'OLD_BLOCK'
  | 'OTHER_CHAIN'

/** One node failed; another one may be queried instead. The message is for the operator. */
export class NodeFailure extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** A node responded with an error object. The message is the node's, on one line and truncated. */
export class Refusal extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Converts a refusal that has nothing to do with the query itself into a node failure. */
export function toFailure({ code, message }: Refusal): NodeFailure {
  return new NodeFailure('NO_ANSWER', `refuses: ${message} (${code})`)
}
