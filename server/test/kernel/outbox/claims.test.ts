import { expect, test } from 'vitest'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { job } from '../../../src/kernel/outbox/jobs.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { testId } from '../../worlds/records/payments.testing.ts'
import { openServer } from '../../worlds/server.testing.ts'

const DAY_SECONDS = 24 * 3600

test('a server that starts alone on its database releases earlier claims, but not while other servers run', async () => {
  const { app, server, newOp, close } = await openServer({}, { listens: false })
  const op = await newOp()
  const { done } = await app.committer.commit([
    job(op, 'quote.expire', { quoteId: testId('Quote', 1) }, addSeconds(op.now, DAY_SECONDS)),
  ])
  expect(done).toBe(true)
  await app.db.query('UPDATE jobs SET claimed_until = $1 WHERE platform_id = $2', [
    addSeconds(op.now, DAY_SECONDS),
    extractUuid(op.platform.id),
  ])
  await server.ready()
  const { rows } = await app.db.query<{ claimed: boolean }>(
    'SELECT claimed_until IS NOT NULL AS claimed FROM jobs WHERE platform_id = $1',
    [extractUuid(op.platform.id)],
  )
  expect(rows).toEqual([{ claimed: app.db.kind === 'postgres' }])
  await close()
})
