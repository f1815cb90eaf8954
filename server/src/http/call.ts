import type { IncomingHttpHeaders } from 'node:http'
import type { Trace } from './observe.ts'

/** What is known of a request before its body is read. */
export interface Head {
  readonly params: unknown
  readonly authorization: string | undefined
  /** Of the machine at the other end of the connection. */
  readonly address: string
  /** What its log lines say about it. */
  readonly trace: Trace
}

/** A request as HTTP delivers it. */
export interface Call extends Head {
  readonly method: string
  /** The path below the base address, decoded. */
  readonly path: string
  readonly query: unknown
  readonly body: Buffer | undefined
  /** For a caller who is known by a signature that stands in them. */
  readonly headers: IncomingHttpHeaders
  readonly idempotencyKey: string | undefined
  readonly signature: string | undefined
  readonly requestId: string | undefined
}

/** The answer to a request, as HTTP sends it. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Whether what came of a step is the answer already. */
export function isAnswer(outcome: unknown): outcome is Answer {
  return typeof outcome === 'object' && outcome !== null && 'status' in outcome && 'body' in outcome
}
