import { type Endpoint, takesBody } from './endpoint.ts'
import { ERRORS_OF_EVERY_ENDPOINT, type ErrorCode } from './errors.ts'

const SIGNED = [
  'WALLET_SIGNATURE_MISSING',
  'WALLET_SIGNATURE_MALFORMED',
  'WALLET_SIGNATURE_BODY_MISMATCH',
  'WALLET_SIGNATURE_INVALID',
  'REQUEST_ID_MISSING',
] as const satisfies readonly ErrorCode[]

/** All error codes that an endpoint may return, from its handler or from the pipeline. */
export function listErrorCodes(endpoint: Endpoint): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(endpoint.errors)
  const add = (condition: boolean, ...more: readonly ErrorCode[]) => {
    if (condition) for (const code of more) codes.add(code)
  }
  add(takesBody(endpoint), 'REQUEST_TIMEOUT')
  // Also returned if the endpoint takes no body.
  add(endpoint.method !== 'GET', 'PAYLOAD_TOO_LARGE')
  // Caused by a Content-Encoding, with or without a body.
  add(true, 'UNSUPPORTED_MEDIA_TYPE')
  add(['platform', 'agent', 'member'].includes(endpoint.auth), 'UNAUTHORIZED', 'FORBIDDEN')
  // Returned to a page of another origin.
  add(endpoint.auth === 'public', 'FORBIDDEN')
  add(endpoint.signed === true, ...SIGNED)
  // CUSTOMER_DELETED: the customer in the stored response has been erased.
  add(Boolean(endpoint.idempotent), 'IDEMPOTENCY_KEY_REUSED', 'CUSTOMER_DELETED')
  add(endpoint.sandboxOnly === true, 'NOT_FOUND')
  add(true, ...ERRORS_OF_EVERY_ENDPOINT)
  return [...codes]
}
