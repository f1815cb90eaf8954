import type { ErrorCode } from '@countersign/contract/core/errors'

/** Fields in every log line of a request, filled in as the request is processed. */
export interface Trace {
  readonly httpRequestId: string
  /** The request id that the caller sent. */
  readonly callerRequestId?: string
  platformId: string | undefined
  code: ErrorCode | undefined
  /** Set if tracing is on. */
  traceId?: string | undefined
}
