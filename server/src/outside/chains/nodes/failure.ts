/**
 * Why a node is of no use for a question. NO_ANSWER: it is not reached, is too busy, or refuses. BAD_ANSWER: what it says is not
 * what was asked for. TOO_LONG: its answer is longer than what is read. OTHER_BRANCH: what it says is not in the block it names.
 */
export type FailureKind =
  | 'NO_ANSWER'
  | 'BAD_ANSWER'
  | 'TOO_LONG'
  | 'OTHER_BRANCH'
  | 'BEHIND'
  | 'OLD_BLOCK'
  | 'OTHER_CHAIN'

/** One node failed. The next one may be asked. The message is for the operator. */
export class NodeFailure extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** A node's answer to a request was an error object. The message is the node's, on one line and cut. */
export class Refusal extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** What a refusal is that says nothing of the question itself. */
export function failureOf({ code, message }: Refusal): NodeFailure {
  return new NodeFailure('NO_ANSWER', `refuses: ${message} (${code})`)
}
