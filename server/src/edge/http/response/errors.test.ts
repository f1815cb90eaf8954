import { ERROR_CODES, ERRORS } from '@countersign/contract/core/errors'
import { expect, test } from 'vitest'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { NoConnection } from '../../../storage/engine/port.ts'
import { Statements } from '../../../storage/engine/postgres-statements.ts'
import { asApiError, encodeError } from './errors.ts'

const ORIGIN = 'https://pay.example.com'

test('every 503 says when to try again, and an error that knows it better says that', () => {
  for (const code of ERROR_CODES.filter((one) => ERRORS[one].status === 503))
    expect(Number(encodeError(new ApiError(code), ORIGIN).headers['Retry-After']), code).toBeGreaterThan(0)
  const exact = new ApiError('UNAVAILABLE', { headers: { 'Retry-After': '60' } })
  expect(encodeError(exact, ORIGIN).headers).toEqual({ 'Retry-After': '60' })
  expect(encodeError(new ApiError('NOT_FOUND'), ORIGIN).headers).toEqual({})
})

/** The error of a statement when the database returns this one. */
async function failure(code: string, message: string): Promise<unknown> {
  const statements = new Statements(async () => {
    throw Object.assign(new Error(message), { code, severity: 'FATAL' })
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
])('a database that is gone behind a pooler is 503: %s %s', async (code, message) => {
  const error = await failure(code, message)
  expect(error).toBeInstanceOf(NoConnection)
  expect(asApiError(error).refusal).toMatchObject({ code: 'UNAVAILABLE' })
})

test('a server that was lost behind a pooler in the middle of a statement may have done it, so nothing is promised', async () => {
  const error = await failure('08P01', 'server conn crashed?')
  expect(error).not.toBeInstanceOf(NoConnection)
  expect(asApiError(error).refusal).toMatchObject({ code: 'INTERNAL_ERROR' })
})
