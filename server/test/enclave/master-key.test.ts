import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownDatabase } from '../../../test/empty-database.testing.ts'
import { TEST_MASTER_KEY } from '../../../test/master-key.testing.ts'
import { openAtRest } from '../../src/crypto/seal.ts'
import { uuidOf } from '../../src/db/engine/ids.ts'
import type { Database } from '../../src/db/engine/port.ts'
import { rotateMasterKey } from '../../src/enclave/data-keys.ts'
import { dataKeyName, Keyring } from '../../src/enclave/keyring.ts'
import { createPlatform } from '../../src/service/first-platform.ts'
import { openService, type Service } from '../../src/service/service.ts'
import { readConfig } from '../../src/settings/config.ts'
import { Client, newCustomer } from '../client.testing.ts'
import { pngOf, upload } from '../uploads.testing.ts'

const OLD_KEY = Buffer.from(TEST_MASTER_KEY, 'hex')

/** A folder and a database for servers that are started one after the other. */
async function newPlace() {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-key-'))
  const database = await ownDatabase(dataDir)
  const open = new Set<Service>()
  const stop = async (service: Service) => {
    if (open.delete(service)) await service.close()
  }
  onTestFinished(async () => {
    for (const service of open) await stop(service)
    await database?.drop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const start = async (masterKey: Uint8Array) => {
    const service = await openService(
      readConfig({
        DATABASE_URL: database?.url,
        COUNTERSIGN_DATA_DIR: dataDir,
        COUNTERSIGN_MASTER_KEY: Buffer.from(masterKey).toString('hex'),
        LOG_LEVEL: 'silent',
      }),
    )
    open.add(service)
    const origin = await service.server.listen({ host: '127.0.0.1', port: 0 })
    return { service, baseUrl: `${origin}/2025-10-13` }
  }
  return { start, stop }
}

interface Seed {
  readonly id: string
  readonly sealed: Uint8Array
}

async function seedsOf(db: Database): Promise<Seed[]> {
  const { rows } = await db.query<Seed>(
    'SELECT id, sealed_seed AS sealed FROM internal_accounts WHERE sealed_seed IS NOT NULL ORDER BY id',
  )
  return rows
}

async function untilResealed(db: Database): Promise<void> {
  const done = 'SELECT resealed_at IS NOT NULL AS done FROM data_keys WHERE generation = 2'
  await expect.poll(async () => (await db.query(done)).rows, { timeout: 10_000 }).toEqual([{ done: true }])
}

const opens = (keys: Keyring, { id, sealed }: Seed) => {
  try {
    return keys.open(sealed, `wallet_seed ${id}`) !== undefined
  } catch {
    return false
  }
}

test('data sealed after a rotation opens with neither the old master key nor a backup; all else goes on', async () => {
  const place = await newPlace()
  const first = await place.start(OLD_KEY)
  const { db } = first.service.app
  const credentials = await createPlatform(first.service.app, 'Test')
  const client = new Client(credentials, first.baseUrl)
  const holder = (await newCustomer(client)).id
  const fields = {
    documentHolder: holder,
    documentType: 'PASSPORT',
    country: 'DE',
    documentNumber: 'L01X00T47',
  }
  const file = pngOf(100_000)
  const { id: documentId } = (await upload(client, '/documents', fields, file)).body
  const secret = (await client.get('/webhook-secrets')).body.data[0].secret
  const pinned = first.service.app.enclave.quorumPublicKey
  const account = { provider: 'BRALE', apiClientId: 'client', apiClientSecret: 'secret' }
  const key = { 'Idempotency-Key': 'link' }
  const linked = await client.post('/stablecoin-provider-accounts', account, key)
  expect(linked.status).toBe(201)

  // An attacker has the master key and a backup, and with them everything sealed until then.
  const { rows } = await db.query<{ sealed: Uint8Array }>('SELECT sealed FROM data_keys')
  const stolen = openAtRest(OLD_KEY, rows[0]!.sealed, dataKeyName(1))!
  const thief = new Keyring(
    new Map([
      [1, stolen],
      [2, stolen],
    ]),
  )
  expect((await seedsOf(db)).map((seed) => opens(thief, seed))).toEqual([true])

  const newKey = randomBytes(32)
  await expect(rotateMasterKey(db, newKey, OLD_KEY, new Date())).rejects.toThrow('is not the master key')
  await rotateMasterKey(db, OLD_KEY, newKey, new Date())

  // A server that was not restarted goes on, but cannot seal under the stolen key.
  expect((await client.get('/config')).status).toBe(200)
  const wallet = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: 'ada@example.com' }
  expect((await client.post('/customers', wallet)).body).toMatchObject({
    status: 503,
    message: expect.stringContaining('must be restarted'),
  })
  expect(await seedsOf(db)).toHaveLength(1)
  expect((await upload(client, '/documents', fields)).status).toBe(503)
  expect((await db.query('SELECT id FROM stored_files')).rows).toHaveLength(1)
  await place.stop(first.service)
  await expect(place.start(OLD_KEY)).rejects.toThrow('master key')

  const second = await place.start(newKey)
  const after = new Client(credentials, second.baseUrl)
  expect((await after.post('/customers', wallet)).status).toBe(201)
  await untilResealed(second.service.app.db)
  const seeds = await seedsOf(second.service.app.db)
  expect(seeds.map((seed) => opens(thief, seed))).toEqual([false, false])
  expect(second.service.app.enclave.quorumPublicKey).toBe(pinned)
  expect((await after.get('/webhook-secrets')).body.data[0].secret).toBe(secret)
  for (const { id, sealed } of seeds)
    expect(() => second.service.app.enclave.exportWallet(id, sealed, pinned)).not.toThrow()

  // The bytes of a file stay as they are: its key is sealed anew, and so is the number of its document.
  const { rows: generations } = await second.service.app.db.query(
    `SELECT sealed_generation(sealed_key)::integer AS key, sealed_generation(sealed_number)::integer AS number
     FROM documents d JOIN stored_files f ON f.id = d.file_id WHERE d.id = $1`,
    [uuidOf(documentId)],
  )
  expect(generations).toEqual([{ key: 2, number: 2 }])
  const link = await after.post(`/documents/${documentId}/link`)
  expect(Buffer.from(await (await fetch(link.body.url)).arrayBuffer()).equals(file)).toBe(true)
  const found = await second.service.app.db.query<{ sealed: Uint8Array }>(
    'SELECT sealed_credentials AS sealed FROM stablecoin_accounts',
  )
  const { sealed } = found.rows[0]!
  expect(thief.open(sealed, `text stablecoinAccount ${linked.body.id}`)).toBeUndefined()
  expect(second.service.app.enclave.openText('stablecoinAccount', linked.body.id, sealed)).toContain('secret')
  // A repetition is known by its keyed digest, which stays the same.
  const repeated = await after.post('/stablecoin-provider-accounts', account, key)
  expect([repeated.headers.get('idempotency-replayed'), repeated.body]).toEqual(['true', linked.body])
})
