import type { IncomingHttpHeaders } from 'node:http'
import type { Actor } from '../../../kernel/operation/app.ts'
import type { Standing } from '../../rate-limits/request-counts.ts'
import type { ReadForm } from './form.ts'
import type { Trace } from './trace.ts'

/** The head of a request, known before its body is read. */
export interface Head {
  readonly params: unknown
  readonly authorization: string | undefined
  /** The `Origin` header: the page that makes the request in a browser. */
  readonly origin?: string | undefined
  /** The `Sec-Fetch-Site` header: `same-origin`, `cross-site`. */
  readonly fetchSite?: string | undefined
  /** The cookie of a team member's session. */
  readonly memberSecret?: string | undefined
  readonly userAgent?: string | undefined
  /** The URL of this server, as the caller wrote it. */
  readonly ownOrigin?: string
  /** The peer address of the connection. */
  readonly address: string
  /** The fields of its log lines. */
  readonly trace: Trace
  /** Filled in once the caller is known, for the request log, with its rate limit usage. */
  readonly seen?: { actor: Actor | undefined; standing?: Standing | undefined }
}

/** A request with its body. */
export interface Call extends Head {
  readonly method: string
  /** The path below the base address, decoded. */
  readonly path: string
  readonly query: unknown
  readonly body: Buffer | undefined
  /** Replaces `body` if the endpoint accepts an upload. */
  readonly readForm?: ReadForm
  /** For callers that authenticate by a signature in the headers. */
  readonly headers: IncomingHttpHeaders
  readonly idempotencyKey: string | undefined
  readonly signature: string | undefined
  readonly requestId: string | undefined
}

/** An HTTP response. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Replaces `body`: pieces of a string with the type in `headers`. */
  readonly pieces?: AsyncIterable<string>
  /** Sandbox: the connection is closed instead (`sandbox-faults.ts`). */
  readonly isLost?: boolean
}

/** True if the result of a step is already the response. */
export function isAnswer(outcome: unknown): outcome is Answer {
  return typeof outcome === 'object' && outcome !== null && 'status' in outcome && 'body' in outcome
}
