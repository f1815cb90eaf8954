import type { IncomingHttpHeaders } from 'node:http'
import type { Actor } from '../../../kernel/operation/app.ts'
import type { Standing } from '../../rate-limits/request-counts.ts'
import type { ReadForm } from './form.ts'
import type { Trace } from './trace.ts'

/** The head of a request, known before its body is read. */
export interface Head {
  readonly params: unknown
  readonly authorization: string | undefined
  /** Of the page that makes the request, where a browser does. */
  readonly origin?: string | undefined
  /** What the browser says of that page: `same-origin`, `cross-site`. */
  readonly fetchSite?: string | undefined
  /** The cookie of a member's session. */
  readonly memberSecret?: string | undefined
  readonly userAgent?: string | undefined
  /** The address of this server, as the caller wrote it. */
  readonly ownOrigin?: string
  /** The address at the other end of the connection. */
  readonly address: string
  /** The members of its log lines. */
  readonly trace: Trace
  /** Where the caller is noted once it is known, for the request log, and where it stands with its limit. */
  readonly seen?: { actor: Actor | undefined; standing?: Standing | undefined }
}

/** A request with its body. */
export interface Call extends Head {
  readonly method: string
  /** The path below the base address, decoded. */
  readonly path: string
  readonly query: unknown
  readonly body: Buffer | undefined
  /** In place of `body`, where the endpoint takes an upload. */
  readonly readForm?: ReadForm
  /** For a caller that is authenticated by a signature in the headers. */
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
  /** In place of `body`: pieces of a text of the type in `headers`. */
  readonly pieces?: AsyncIterable<string>
  /** Sandbox: the connection breaks off in its place (`sandbox-faults.ts`). */
  readonly isLost?: boolean
}

/** Whether the result of a step is already the answer. */
export function isAnswer(outcome: unknown): outcome is Answer {
  return typeof outcome === 'object' && outcome !== null && 'status' in outcome && 'body' in outcome
}
