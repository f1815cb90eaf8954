import { API } from '@countersign/contract/api'
import { expect, test } from 'vitest'
import { deleteExpired } from '../../../src/edge/expiry/store.ts'
import { createRequestLog, type SeenRequest } from '../../../src/kernel/audit/request-log.ts'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { world } from '../../worlds/world.testing.ts'

test('an overload drops and counts log entries, and stored entries expire after the configured days', async () => {
  const { app, newOp } = await world('sandbox+quiet')
  const { platform } = await newOp()
  let droppedCount = 0
  const log = createRequestLog(app.db, 2, {
    requestsNotLogged(count) {
      droppedCount += count
    },
  })
  const at = app.clock()
  const request = {
    platformId: platform.id,
    operation: 'customer_list',
    endpoint: API.customer_list,
    method: 'GET',
    path: '/customers',
    params: {},
    at,
  }
  const seenRequest: SeenRequest = {
    ...{ ...request, httpRequestId: 'many', status: 200, durationMs: 1, address: '127.0.0.1' },
    ...{
      actor: undefined,
      callerRequestId: undefined,
      query: undefined,
      code: undefined,
      idempotencyKey: undefined,
    },
    ...{ userAgent: undefined, requestBody: undefined, responseBody: undefined },
  }
  for (let i = 0; i < 5_003; i++) log.add(seenRequest)
  expect([log.dropped, droppedCount]).toEqual([3, 3])
  await log.flush()
  const countRows = async () => (await app.db.query('SELECT id FROM logged_requests', [])).rows.length
  expect(await countRows()).toBe(5_000)
  const addDays = (n: number) => addSeconds(at, n * 24 * 60 * 60)
  expect(await deleteExpired(app.db, 'logged_requests', addDays(1), 10_000)).toBe(0)
  expect(await deleteExpired(app.db, 'logged_requests', addDays(2), 1_000)).toBe(1_000)
  expect(await countRows()).toBe(4_000)
})
