import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeExpired } from '../../../src/edge/expiry/expiry.ts'
import {
  findStoredResponse,
  hashRequest,
  type KeyedRequest,
  saveResponse,
} from '../../../src/kernel/idempotency/stored-responses.ts'
import { addSeconds, type Op } from '../../../src/kernel/operation/app.ts'
import { ApiError } from '../../../src/kernel/operation/operation.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const DAY_SECONDS = 24 * 3600
const RETENTION_DAYS = 30
/** More rows than one statement removes. */
const MANY = 2_345

let host: TestServer
let op: Op
beforeAll(async () => {
  host = await openServer({}, { listens: false })
  op = await host.newOp()
})
afterAll(() => host.close())

const createConflict = () => new ApiError('IDEMPOTENCY_KEY_REUSED')
const buildRequest = (key: string): KeyedRequest => ({
  scope: 'scope',
  key,
  requestHash: hashRequest({ key }),
  conflict: createConflict,
})
const storedResponse = { status: 201, body: '{}' }
const storeResponse = (key: string, at = op.now) =>
  host.app.committer.commit([saveResponse({ ...op, now: at }, buildRequest(key), storedResponse)])
const findResponse = (key: string) => findStoredResponse(op, buildRequest(key))

async function listKeys(): Promise<string[]> {
  const { rows } = await host.app.db.query<{ key: string }>('SELECT key FROM idempotency_keys ORDER BY key')
  return rows.map(({ key }) => key)
}

test('all expired idempotency keys are removed, and no others', async () => {
  const { db } = host.app
  const expired = addSeconds(op.now, -RETENTION_DAYS * DAY_SECONDS)
  const unexpired = addSeconds(expired, 1)
  expect((await storeResponse('expired', expired)).done).toBe(true)
  expect((await storeResponse('young', unexpired)).done).toBe(true)
  await db.query(
    `INSERT INTO idempotency_keys SELECT key_digest(scope, n::text), scope, n::text, platform_id, request_hash, status, body,
       created_at, expires_at FROM idempotency_keys, generate_series(1, $1::integer) AS n WHERE key = 'expired'`,
    [MANY],
  )
  expect(await removeExpired(db, 'idempotency_keys', addSeconds(op.now, -1))).toBe(0)
  expect(await removeExpired(db, 'idempotency_keys', op.now)).toBe(MANY + 1)
  expect(await listKeys()).toEqual(['young'])
  expect(await removeExpired(db, 'idempotency_keys', op.now)).toBe(0)
  expect(await removeExpired(db, 'idempotency_keys', addSeconds(op.now, 1))).toBe(1)
  expect(await listKeys()).toEqual([])
})

test('an idempotency key whose digest equals the digest of another key neither gets its response nor overwrites it', async () => {
  const { db } = host.app
  const [ownKey, collidingKey] = ['mine', 'other']
  expect((await storeResponse(ownKey)).done).toBe(true)
  expect(await findResponse(ownKey)).toMatchObject(storedResponse)
  // Simulates a digest collision: the row of one key gets the digest of another key.
  const { affected } = await db.query(
    `UPDATE idempotency_keys SET digest = key_digest(scope, $2) WHERE key = $1 AND platform_id = $3`,
    [ownKey, collidingKey, extractUuid(op.platform.id)],
  )
  expect(affected).toBe(1)
  expect(await findResponse(collidingKey)).toBeUndefined()
  const refusal = { done: false, guard: 'expectation' }
  expect(await storeResponse(collidingKey)).toMatchObject(refusal)
  // An expired row is not overwritten either, because its key differs.
  expect(
    await storeResponse(collidingKey, addSeconds(op.now, (RETENTION_DAYS + 1) * DAY_SECONDS)),
  ).toMatchObject(refusal)
  const { rows } = await db.query<{ key: string }>(
    'SELECT key FROM idempotency_keys WHERE digest = key_digest($1, $2)',
    ['scope', collidingKey],
  )
  expect(rows).toEqual([{ key: ownKey }])
})

test('an expired idempotency key can be reused before it is removed', async () => {
  const expiryTime = addSeconds(op.now, RETENTION_DAYS * DAY_SECONDS)
  expect((await storeResponse('again')).done).toBe(true)
  expect((await storeResponse('again', addSeconds(expiryTime, -1))).done).toBe(false)
  expect((await storeResponse('again', expiryTime)).done).toBe(true)
})
