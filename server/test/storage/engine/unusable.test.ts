import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toApiError } from '../../../src/edge/http/response/errors.ts'
import { DiskFull, NoConnection, type QueryOptions } from '../../../src/storage/engine/port.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import type { Client } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'

const DATABASE_URL = process.env.DATABASE_URL

const EACH_CONNECTION: readonly QueryOptions[] = [{ connection: 'fast' }, {}]

let service: TestServer
let client: Client

beforeAll(async () => {
  service = await openServer()
  client = await service.newPlatform()
})

afterAll(() => service.close())

const newCustomer = (fullName: string) => client.post('/customers', { customerType: 'INDIVIDUAL', fullName })
/** Reads the metric that must agree with `/readyz`. */
const readUpMetric = async () => valueIn(await service.metrics(), 'countersign_database_up')
const readReadiness = async () => (await fetch(`${new URL(client.baseUrl).origin}/readyz`)).status

test('a full database returns 503 and changes nothing, and readyz reports it until a write succeeds again', async () => {
  await service.app.db.script(`
    CREATE FUNCTION test_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END $$;
    CREATE TRIGGER test_full BEFORE INSERT ON customers EXECUTE FUNCTION test_full()`)
  const refused = await newCustomer('Ada')
  expectError(refused, { code: 'UNAVAILABLE' })
  expect(refused.body.message).toBe('The database is not available. Nothing was changed. Try again.')
  expect(await readReadiness()).toBe(503)
  expect(await readUpMetric()).toBe(0)
  await service.app.db.script('DROP FUNCTION test_full CASCADE')
  expect((await newCustomer('Grace')).status).toBe(201)
  expect(await readReadiness()).toBe(200)
  expect(await readUpMetric()).toBe(1)
  expect((await client.get('/customers')).body.data).toHaveLength(1)
})

test.skipIf(DATABASE_URL === undefined)(
  'a commit whose session PostgreSQL ends returns 503 with Retry-After, and its key creates one record',
  async () => {
    const platformClient = await service.newPlatform()
    await service.app.db.script(`
      CREATE FUNCTION test_end() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_terminate_backend(pg_backend_pid());
        RETURN NEW;
      END $$;
      CREATE TRIGGER test_end BEFORE INSERT ON customers FOR EACH ROW EXECUTE FUNCTION test_end()`)
    const create = () =>
      platformClient.post(
        '/customers',
        { customerType: 'INDIVIDUAL', fullName: 'Ada' },
        { 'Idempotency-Key': 'ended-session' },
      )
    const lostReply = await create()
    expectError(lostReply, { code: 'UNAVAILABLE' })
    expect(lostReply.headers.get('Retry-After')).toBe('1')
    expect(lostReply.body.message).toContain('may have been done')
    await service.app.db.script('DROP FUNCTION test_end CASCADE')
    const [created, repeated] = [await create(), await create()]
    expect([created.status, repeated.body.id]).toEqual([201, created.body.id])
    expect((await platformClient.get('/customers')).body.data).toHaveLength(1)
  },
)

describe.skipIf(DATABASE_URL === undefined)('a primary that becomes a standby', () => {
  /** Sets the access mode of new connections, and ends existing ones. */
  const makeReadOnly = (isReadOnly: boolean) =>
    service.app.db.script(`
      SET TRANSACTION READ WRITE;
      DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = %L', current_database(), ${isReadOnly});
        ${isReadOnly ? 'PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();' : ''}
      END $$`)

  test('returns 503 and is not ready until its connections reach a primary again', async () => {
    await makeReadOnly(true)
    await expect.poll(readReadiness).toBe(503)
    expect(await readUpMetric()).toBe(0)
    const refused = await newCustomer('Alan')
    expectError(refused, { code: 'UNAVAILABLE' })
    expect(refused.body.message).toContain('Nothing was changed')
    await makeReadOnly(false)
    await expect.poll(async () => (await newCustomer('Barbara')).status).toBe(201)
    expect(await readReadiness()).toBe(200)
  })

  test('has all its connections replaced after the first refusal', async () => {
    const db = await openPostgres(DATABASE_URL!, { poolMax: 1 })
    for (const options of EACH_CONNECTION)
      await db.query(`SELECT set_config('default_transaction_read_only', 'on', false)`, [], options)
    const createSequence = () => db.query('CREATE TEMPORARY SEQUENCE test_sequence', [])
    const readAccessMode = (options: QueryOptions) =>
      db.query(`SELECT current_setting('transaction_read_only') AS it`, [], options)
    expect((await readAccessMode({ connection: 'fast' })).rows).toEqual([{ it: 'on' }])
    const error = await db.query('CREATE TABLE test_refused ()').catch((reason) => reason)
    expect(error).toBeInstanceOf(NoConnection)
    expect(error).not.toBeInstanceOf(DiskFull)
    expect(toApiError(error)).toMatchObject({ refusal: { code: 'UNAVAILABLE' }, isFault: true })
    for (const options of EACH_CONNECTION)
      expect((await readAccessMode(options)).rows).toEqual([{ it: 'off' }])
    await createSequence()
    await db.close()
  })
})
