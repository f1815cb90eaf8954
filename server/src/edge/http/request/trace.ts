import type { ErrorCode } from '@countersign/contract/core/errors'

/** Fields of every log line of a request, set while it is processed. */
export interface Trace {
  readonly httpRequestId: string
  /** The request id sent by the caller. */
  readonly callerRequestId?: string
  platformId: string | undefined
  code: ErrorCode | undefined
  /** Set if tracing is enabled. */
  traceId?: string | undefined
}
