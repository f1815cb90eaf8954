import { errorCodes } from 'fastify'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { createLog } from '../../observability/log.ts'
import { convertTransportError } from './transport-errors.ts'

function convert(error: unknown, isUpload = false) {
  const lines: string[] = []
  const output = { write: (line: string) => void lines.push(line) }
  const request = { routeOptions: { url: '/a', bodyLimit: 8192, config: { isUpload } }, trace: {} }
  const { code, message, details } = convertTransportError({ log: createLog('info', output) }, error, request)
  return { code, message, details, log: lines.join('') }
}

/** The errors that the HTTP library can raise because of a request. */
const REFUSALS = Object.entries(errorCodes)
  .map(([name, Kind]) => [name, new Kind('secret')] as const)
  .filter(([, { statusCode = 500 }]) => statusCode >= 400 && statusCode < 500)

describe('an error that the HTTP library raises', () => {
  test.each(REFUSALS)('because of a request (%s) reaches the caller in our own words', (_, error) => {
    const { code, message } = convert(error)
    expect(message).not.toContain(error.message)
    expect(message).toMatch(/^[A-Z].+\.$/)
    expect(code).not.toBe('INTERNAL_ERROR')
  })

  test('because of the length of a body names the limit, and because of its type the right type', () => {
    expect(convert(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The request body must have at most 8192 bytes.',
      details: { bodyBytesMax: 8192 },
    })
    const unsupported = new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE('text/plain')
    expect(convert(unsupported).code).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(convert(unsupported, true).message).toBe('The request body must be multipart/form-data.')
  })

  test('because a body was cut off says so, and its cause is in the log', () => {
    const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET', statusCode: 400 })
    const { message, log } = convert(aborted)
    expect(message).toBe('The connection was closed before the whole request body arrived.')
    expect(log).toContain('"aborted"')
    expect(convert(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH()).message).toBe(
      'The request body is shorter or longer than its Content-Length.',
    )
  })

  test('for any other reason is a fault of the server, and its cause is only in the log', () => {
    const { code, message, log } = convert(new Error('no such table'))
    expect(code).toBe('INTERNAL_ERROR')
    expect(message).not.toContain('table')
    expect(log).toContain('no such table')
  })

  test('that is already an error of the API is passed on', () => {
    expect(convert(new ApiError('NOT_FOUND')).code).toBe('NOT_FOUND')
  })
})
