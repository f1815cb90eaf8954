import { getOwnValue } from '@countersign/contract/core/objects'
import { getErrorCode } from '../../../base/formats/thrown-errors.ts'
import type { App } from '../../../kernel/operation/app.ts'
import { ApiError } from '../../../kernel/operation/operation.ts'

/** The parts of a request that its errors need. */
interface FailedRequest {
  readonly routeOptions: {
    readonly url?: string | undefined
    readonly bodyLimit: number
    readonly config: { readonly isUpload?: boolean }
  }
  readonly trace: object
}

/** Messages for errors that occur while a request body is read, by code. */
const MESSAGES: Readonly<Record<string, string>> = {
  ECONNRESET: 'The connection was closed before the whole request body arrived.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The request body is shorter or longer than its Content-Length.',
}

/** Converts errors that fastify raises before a handler runs. The library's own messages are only logged. */
export function convertTransportError(
  { log }: Pick<App, 'log'>,
  error: unknown,
  { routeOptions: { url, bodyLimit, config }, trace }: FailedRequest,
): ApiError {
  if (error instanceof ApiError) return error
  const statusCode = getStatus(error)
  if (statusCode === 413) return createSizeError(bodyLimit)
  if (statusCode === 415) return createMediaTypeError(config.isUpload ?? false)
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) {
    log.error({ err: error, route: url, ...trace }, 'request failed')
    return new ApiError('INTERNAL_ERROR')
  }
  log.info({ err: error, route: url, ...trace }, 'refused an unreadable request')
  const message =
    getOwnValue(MESSAGES, getErrorCode(error) ?? '') ??
    'The request could not be read. Check its headers and its body.'
  return new ApiError('INVALID_INPUT', { message })
}

function createMediaTypeError(isUpload: boolean): ApiError {
  return new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    isUpload ? { message: 'The request body must be multipart/form-data.' } : {},
  )
}

function getStatus(error: unknown): number | undefined {
  const hasStatus = typeof error === 'object' && error !== null && 'statusCode' in error
  return hasStatus && typeof error.statusCode === 'number' ? error.statusCode : undefined
}

function createSizeError(bodyBytesMax: number): ApiError {
  const message = `The request body must have at most ${bodyBytesMax} bytes.`
  return new ApiError('PAYLOAD_TOO_LARGE', { message, details: { bodyBytesMax } })
}
