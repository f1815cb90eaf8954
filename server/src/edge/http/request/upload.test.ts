import { expect, test } from 'vitest'
import { ApiError } from '../../../kernel/operation/operation.ts'
import { createLog } from '../../observability/log.ts'
import { refusalOfDisk } from './upload.ts'

const log = createLog('silent', { write: () => {} })

test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE'])('an upload that meets %s is 503', (code) => {
  const refusal = refusalOfDisk({ log }, Object.assign(new Error('write'), { code }))
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal).toMatchObject({ code: 'UNAVAILABLE' })
})

test('an upload that fails in another way keeps its error', () => {
  const error = new ApiError('INVALID_INPUT')
  expect(refusalOfDisk({ log }, error)).toBe(error)
})
