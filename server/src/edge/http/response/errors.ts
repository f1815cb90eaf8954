import { ERROR_PAGE, ERRORS } from '@countersign/contract/core/errors'
import type { WireSpelling } from '@countersign/contract/core/wire-word'
import { RotatedKeyError } from '../../../kernel/enclave/keyring.ts'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { LostConnection, NoConnection, readSqlState } from '../../../storage/engine/port.ts'

export interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** The default `Retry-After` of a 503 response. */
const RETRY_SECONDS = '1'

/**
 * The response for a refusal (specification 7). A 401 has `reason` both at the top level and in `details`.
 * Standard messages name headers as `wire` spells them; a handler's own message may quote the caller, so it
 * is unchanged.
 */
export function encodeError(error: ApiError, origin: string, wire?: WireSpelling): ErrorResponse {
  const { status, message: ownText } = ERRORS[error.code]
  const message = wire && error.message === ownText ? wire.text(ownText) : error.message
  const reason = status === 401 ? (error.reason ?? message) : undefined
  const details = reason ? { reason, ...error.details } : withErrors(error, message)
  return {
    status,
    headers: {
      ...(status === 503 ? { 'Retry-After': RETRY_SECONDS } : {}),
      ...error.headers,
    },
    body: {
      status,
      // The page about errors uses the specification's name.
      code: wire?.text(error.code) ?? error.code,
      message,
      docUrl: `${origin}${ERROR_PAGE}#${details?.code ?? error.code}`,
      ...(reason ? { reason } : {}),
      ...(details ? { details } : {}),
    },
  }
}

/** Every refusal of input lists its errors. A refusal by a handler has just one. */
function withErrors({ code, details }: ApiError, message: string): ApiError['details'] {
  if (code !== 'INVALID_INPUT' || details?.field === undefined || details.errors) return details
  return { ...details, errors: [{ field: details.field, message }] }
}

/** The master key was rotated after this process started (`functions/refuse-older-data-key.ts`). */
const SEALED_UNDER_OLDER_KEY = 'CS003'

/** SQLSTATE class 22: a value that the database cannot store, such as a date in the year 0. */
const DATA_EXCEPTION = /^22/

/**
 * Converts any error to a refusal. Every other error than an ApiError is internal (`isFault`): its cause is
 * logged and never sent.
 */
export function toApiError(error: unknown): { refusal: ApiError; isFault: boolean } {
  if (error instanceof ApiError) return { refusal: error, isFault: false }
  if (error instanceof NoConnection)
    return {
      refusal: new ApiError('UNAVAILABLE', {
        message: 'The database is not available. Nothing was changed. Try again.',
      }),
      isFault: true,
    }
  if (error instanceof LostConnection)
    return {
      refusal: new ApiError('UNAVAILABLE', {
        message:
          'The connection to the database was lost, so the operation may have been done. Try again with the same Idempotency-Key.',
      }),
      isFault: true,
    }
  if (error instanceof RotatedKeyError || readSqlState(error) === SEALED_UNDER_OLDER_KEY)
    return {
      refusal: new ApiError('UNAVAILABLE', {
        message:
          'The master key was rotated and this server must be restarted. Nothing was changed. Try again later.',
      }),
      isFault: true,
    }
  if (DATA_EXCEPTION.test(readSqlState(error) ?? ''))
    return {
      refusal: new ApiError('INVALID_INPUT', {
        message: 'The request contains a value that is out of range.',
      }),
      isFault: true,
    }
  return { refusal: new ApiError('INTERNAL_ERROR'), isFault: true }
}
