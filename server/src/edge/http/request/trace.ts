import type { ErrorCode } from '@countersign/contract/core/errors'

/** The members of every log line of a request. They are filled in as the request is processed. */
export interface Trace {
  readonly httpRequestId: string
  /** The caller's own name for it. */
  readonly callerRequestId?: string
  platformId: string | undefined
  code: ErrorCode | undefined
  /** Where traces are made. */
  traceId?: string | undefined
}
