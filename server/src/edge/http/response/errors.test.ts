import { ERROR_CODES, ERRORS } from '@countersign/contract/core/errors'
import { expect, test } from 'vitest'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { LostConnection, NoConnection, wasRefused } from '../../../storage/engine/port.ts'
import { Statements } from '../../../storage/engine/postgres-statements.ts'
import { encodeError, toApiError } from './errors.ts'

const ORIGIN = 'https://pay.example.com'

test('every 503 response has a Retry-After header, and an error may set its own', () => {
  for (const code of ERROR_CODES.filter((candidate) => ERRORS[candidate].status === 503))
    expect(Number(encodeError(new ApiError(code), ORIGIN).headers['Retry-After']), code).toBeGreaterThan(0)
  const exact = new ApiError('UNAVAILABLE', { headers: { 'Retry-After': '60' } })
  expect(encodeError(exact, ORIGIN).headers).toEqual({ 'Retry-After': '60' })
  expect(encodeError(new ApiError('NOT_FOUND'), ORIGIN).headers).toEqual({})
})

/** The error that a statement throws for this database error. */
async function captureError(code: string | undefined, message: string): Promise<unknown> {
  const statements = new Statements(async () => {
    throw Object.assign(new Error(message), code === undefined ? {} : { code, severity: 'FATAL' })
  })
  return statements.run('SELECT 1').catch((error: unknown) => error)
}

test.each([
  ['08P01', 'server login has been failing, try again later (server_login_retry)'],
  ['08P01', 'server login has been failing, cached error: connect failed (server_login_retry)'],
  ['08P01', 'query_wait_timeout'],
  ['08P01', 'pgbouncer cannot connect to server'],
  ['57P03', 'the database system is starting up'],
  ['08001', 'connect failed'],
])('a database that a pooler cannot reach results in 503: %s %s', async (code, message) => {
  const error = await captureError(code, message)
  expect(error).toBeInstanceOf(NoConnection)
  expect(toApiError(error).refusal).toMatchObject({ code: 'UNAVAILABLE' })
})

test.each([
  ['57P01', 'terminating connection due to administrator command'],
  ['57P02', 'terminating connection because of crash of another server process'],
  ['57P05', 'terminating connection due to idle-session timeout'],
  ['08006', 'connection failure'],
  ['08P01', 'server conn crashed?'],
  ['ECONNRESET', 'read ECONNRESET'],
  ['EPIPE', 'write EPIPE'],
  ['ETIMEDOUT', 'read ETIMEDOUT'],
  [undefined, 'Connection terminated'],
  [undefined, 'Connection terminated unexpectedly'],
  [undefined, 'Query read timeout'],
  [undefined, 'Client has encountered a connection error and is not queryable'],
])(
  'a database connection lost during a statement results in 503 without a promise that nothing was done: %s %s',
  async (code, message) => {
    const error = await captureError(code, message)
    expect(wasRefused(error)).toBe(false)
    const { refusal, isFault } = toApiError(error)
    expect({ code: refusal.code, isFault }).toEqual({ code: 'UNAVAILABLE', isFault: true })
    expect(refusal.message).toMatch(/may have been done.*Idempotency-Key/)
    expect(encodeError(refusal, ORIGIN)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  },
)

test.each([
  ['22P02', 'invalid input syntax'],
  ['57014', 'canceling statement due to statement timeout'],
  [undefined, 'an internal error'],
])('a statement error is not treated as a lost database connection: %s %s', async (code, message) => {
  const error = await captureError(code, message)
  expect(error).not.toBeInstanceOf(LostConnection)
})
