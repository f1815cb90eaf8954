import type { IncomingHttpHeaders } from 'node:http'
import type { Actor } from '../../../kernel/operation/app.ts'
import type { Standing } from '../../rate-limits/request-counts.ts'
import type { ReadForm } from './form.ts'
import type { Trace } from './trace.ts'

/** The head of a request, available before its body is read. */
export interface Head {
  readonly params: unknown
  readonly authorization: string | undefined
  /** The `Origin` header: the page that sent the request from a browser. */
  readonly origin?: string | undefined
  /** The `Sec-Fetch-Site` header, such as `same-origin` or `cross-site`. */
  readonly fetchSite?: string | undefined
  /** The session cookie of a team member. */
  readonly memberSecret?: string | undefined
  readonly userAgent?: string | undefined
  /** The URL of this server as the caller wrote it. */
  readonly ownOrigin?: string
  /** The peer address of the connection. */
  readonly address: string
  /** Fields added to the log lines of the request. */
  readonly trace: Trace
  /** The actor and its rate limit usage, set once the caller is known. */
  readonly seen?: { actor: Actor | undefined; standing?: Standing | undefined }
}

/** A request with its body. */
export interface Call extends Head {
  readonly method: string
  /** The path below the base address, decoded. */
  readonly path: string
  readonly query: unknown
  readonly body: Buffer | undefined
  /** Set instead of `body` if the endpoint accepts an upload. */
  readonly readForm?: ReadForm
  /** For callers that authenticate with a signature in the headers. */
  readonly headers: IncomingHttpHeaders
  readonly idempotencyKey: string | undefined
  readonly signature: string | undefined
  readonly requestId: string | undefined
}

/** An HTTP response. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Set instead of `body`: the chunks of a text whose content type is in `headers`. */
  readonly pieces?: AsyncIterable<string>
  /** Sandbox only: the connection is closed without a response (`sandbox-faults.ts`). */
  readonly isLost?: boolean
}

/** True if a pipeline step has already produced the response. */
export function isHttpResponse(outcome: unknown): outcome is HttpResponse {
  return typeof outcome === 'object' && outcome !== null && 'status' in outcome && 'body' in outcome
}
