import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeExpired } from '../../../src/edge/expiry/expiry.ts'
import {
  findStoredAnswer,
  hashRequest,
  type KeyedRequest,
  storeAnswer,
} from '../../../src/kernel/idempotency/stored-responses.ts'
import { addSeconds, type Op } from '../../../src/kernel/operation/app.ts'
import { ApiError } from '../../../src/kernel/operation/operation.ts'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const DAY_SECONDS = 24 * 3600
const KEPT_DAYS = 30
/** More than one statement removes. */
const MANY = 2_345

let host: TestServer
let op: Op
beforeAll(async () => {
  host = await openServer({}, { listens: false })
  op = await host.newOp()
})
afterAll(() => host.close())

const conflict = () => new ApiError('IDEMPOTENCY_KEY_REUSED')
const request = (key: string): KeyedRequest => ({
  scope: 'scope',
  key,
  requestHash: hashRequest({ key }),
  conflict,
})
const answer = { status: 201, body: '{}' }
const keep = (key: string, at = op.now) =>
  host.app.committer.commit([storeAnswer({ ...op, now: at }, request(key), answer)])
const find = (key: string) => findStoredAnswer(op, request(key))

async function keys(): Promise<string[]> {
  const { rows } = await host.app.db.query<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY key')
  return rows.map(({ key }) => key)
}

test('keys that have expired are removed, as many as there are, and no other', async () => {
  const { db } = host.app
  const expired = addSeconds(op.now, -KEPT_DAYS * DAY_SECONDS)
  const young = addSeconds(expired, 1)
  expect((await keep('expired', expired)).done).toBe(true)
  expect((await keep('young', young)).done).toBe(true)
  await db.query(
    `INSERT INTO idempotency_keys SELECT key_digest(scope, n::text), scope, n::text, platform_id, request_hash, status, body,
       created_at, expires_at FROM idempotency_keys, generate_series(1, $1::integer) AS n WHERE key = 'expired'`,
    [MANY],
  )
  expect(await removeExpired(db, 'idempotency_keys', addSeconds(op.now, -1))).toBe(0)
  expect(await removeExpired(db, 'idempotency_keys', op.now)).toBe(MANY + 1)
  expect(await keys()).toEqual(['young'])
  expect(await removeExpired(db, 'idempotency_keys', op.now)).toBe(0)
  expect(await removeExpired(db, 'idempotency_keys', addSeconds(op.now, 1))).toBe(1)
  expect(await keys()).toEqual([])
})

test('a key is found by its digest and compared completely: another key with that digest gets no response and is not overwritten', async () => {
  const { db } = host.app
  const [mine, other] = ['mine', 'other']
  expect((await keep(mine)).done).toBe(true)
  expect(await find(mine)).toMatchObject(answer)
  // A collision that no two requests are known to cause: the row of one key under the digest of another.
  const { affected } = await db.query(
    `UPDATE idempotency_keys SET digest = key_digest(scope, $2) WHERE key = $1 AND platform_id = $3`,
    [mine, other, uuidOf(op.platform.id)],
  )
  expect(affected).toBe(1)
  expect(await find(other)).toBeUndefined()
  const refused = { done: false, guard: 'expectation' }
  expect(await keep(other)).toMatchObject(refused)
  // Not even when the row has expired: its key is not this one.
  expect(await keep(other, addSeconds(op.now, (KEPT_DAYS + 1) * DAY_SECONDS))).toMatchObject(refused)
  const { rows } = await db.query<{ key: string }>(
    'SELECT key FROM idempotency_keys WHERE digest = key_digest($1, $2)',
    ['scope', other],
  )
  expect(rows).toEqual([{ key: mine }])
})

test('an expired key is free again immediately, before it is removed', async () => {
  const later = addSeconds(op.now, KEPT_DAYS * DAY_SECONDS)
  expect((await keep('again')).done).toBe(true)
  expect((await keep('again', addSeconds(later, -1))).done).toBe(false)
  expect((await keep('again', later)).done).toBe(true)
})
