import { expect, test } from 'vitest'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { createLog } from '../../observability/log.ts'
import { toDiskRefusal } from './upload.ts'

const log = createLog('silent', { write: () => {} })

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE'])(
  'an upload that fails with the disk error %s returns 503',
  (code) => {
    const refusal = toDiskRefusal({ log }, Object.assign(new Error('write'), { code }))
    expect(refusal).toBeInstanceOf(ApiError)
    expect(refusal).toMatchObject({ code: 'UNAVAILABLE' })
  },
)

test('an upload that fails with an API error returns that error', () => {
  const error = new ApiError('INVALID_INPUT')
  expect(toDiskRefusal({ log }, error)).toBe(error)
})
