import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownDatabase, TEST_MASTER_KEY } from '../../../../test/databases.testing.ts'
import { openAtRest } from '../../../src/base/crypto/seal.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { createPlatform } from '../../../src/edge/service/first-platform.ts'
import { openService, type Service } from '../../../src/edge/service/service.ts'
import { rotateMasterKey } from '../../../src/kernel/enclave/data-keys.ts'
import { formatDataKeyName, Keyring } from '../../../src/kernel/enclave/keyring.ts'
import { createOp } from '../../../src/kernel/operation/app.ts'
import type { OperationEnclave } from '../../../src/kernel/ports/enclave.ts'
import { findOpenPlatform, guardPlatformOpen } from '../../../src/people/platforms/platforms.ts'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { buildPng, Client, newCustomer } from '../../worlds/client.testing.ts'
import { upload } from '../../worlds/records/onboarding.testing.ts'

const OLD_KEY = Buffer.from(TEST_MASTER_KEY, 'hex')

/** A folder and a database for servers that start one after the other. */
async function createPlace() {
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-key-'))
  const database = await ownDatabase(dataDir)
  const logFile = join(dataDir, 'server.log')
  const openServices = new Set<Service>()
  const stop = async (service: Service) => {
    if (openServices.delete(service)) await service.close()
  }
  onTestFinished(async () => {
    for (const service of openServices) await stop(service)
    await database?.drop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const start = async (masterKey: Uint8Array) => {
    const service = await openService(
      readConfig({
        DATABASE_URL: database?.url,
        COUNTERSIGN_DATA_DIR: dataDir,
        COUNTERSIGN_MASTER_KEY: Buffer.from(masterKey).toString('hex'),
        LOG_LEVEL: 'info',
      }),
      { logFile },
    )
    openServices.add(service)
    const origin = await service.server.listen({ host: '127.0.0.1', port: 0 })
    return { service, baseUrl: `${origin}/2025-10-13` }
  }
  const countResealed = async () =>
    (await readFile(logFile, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('resealed all data under the newest data key'))
      .map((line) => JSON.parse(line).count)
  return { start, stop, countResealed }
}

interface Seed {
  readonly id: string
  readonly sealed: Uint8Array
}

async function listSeeds(db: Database): Promise<Seed[]> {
  const { rows } = await db.query<Seed>(
    'SELECT id, sealed_seed AS sealed FROM internal_accounts WHERE sealed_seed IS NOT NULL ORDER BY id',
  )
  return rows
}

async function waitUntilResealed(db: Database): Promise<void> {
  const resealedQuery = 'SELECT resealed_at IS NOT NULL AS done FROM data_keys WHERE generation = 2'
  await expect.poll(async () => (await db.query(resealedQuery)).rows).toEqual([{ done: true }])
}

const canOpen = (keys: Keyring, { id, sealed }: Seed) => {
  try {
    return keys.open(sealed, `wallet_seed ${id}`) !== undefined
  } catch {
    return false
  }
}

test('data sealed after a rotation opens with neither the old master key nor a backup, and everything else keeps working', async () => {
  const place = await createPlace()
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
  const file = buildPng(100_000)
  const { id: documentId } = (await upload(client, '/documents', fields, file)).body
  const secret = (await client.get('/webhook-secrets')).body.data[0].secret
  const publicKey = first.service.app.enclave.quorumPublicKey
  const account = { provider: 'BRALE', apiClientId: 'client', apiClientSecret: 'secret' }
  const key = { 'Idempotency-Key': 'link' }
  const linkReply = await client.post('/stablecoin-provider-accounts', account, key)
  expect(linkReply.status).toBe(201)

  // An attacker with the master key and a backup can open everything sealed so far.
  const { rows } = await db.query<{ sealed: Uint8Array }>('SELECT sealed FROM data_keys')
  const stolen = openAtRest(OLD_KEY, rows[0]!.sealed, formatDataKeyName(1))!
  const thief = new Keyring(
    new Map([
      [1, stolen],
      [2, stolen],
    ]),
  )
  expect((await listSeeds(db)).map((seed) => canOpen(thief, seed))).toEqual([true])

  const newKey = randomBytes(32)
  await expect(rotateMasterKey(db, newKey, OLD_KEY, new Date())).rejects.toThrow('is not the master key')
  await rotateMasterKey(db, OLD_KEY, newKey, new Date())

  // A server that was not restarted keeps running, but cannot seal under the stolen key.
  expect((await client.get('/config')).status).toBe(200)
  const wallet = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: 'ada@example.com' }
  expect((await client.post('/customers', wallet)).body).toMatchObject({
    status: 503,
    message: expect.stringContaining('must be restarted'),
  })
  expect(await listSeeds(db)).toHaveLength(1)
  expect((await upload(client, '/documents', fields)).status).toBe(503)
  expect((await db.query('SELECT id FROM stored_files')).rows).toHaveLength(1)
  await place.stop(first.service)
  await expect(place.start(OLD_KEY)).rejects.toThrow('master key')

  const second = await place.start(newKey)
  const restartedClient = new Client(credentials, second.baseUrl)
  expect((await restartedClient.post('/customers', wallet)).status).toBe(201)
  await waitUntilResealed(second.service.app.db)
  const seeds = await listSeeds(second.service.app.db)
  expect(seeds.map((seed) => canOpen(thief, seed))).toEqual([false, false])
  expect(second.service.app.enclave.quorumPublicKey).toBe(publicKey)
  expect((await restartedClient.get('/webhook-secrets')).body.data[0].secret).toBe(secret)
  for (const { id, sealed } of seeds)
    expect(() => second.service.app.enclave.exportWallet(id, sealed, publicKey)).not.toThrow()

  // The bytes of a file stay the same; only its key and its document number are resealed.
  const { rows: generations } = await second.service.app.db.query(
    `SELECT sealed_generation(sealed_key)::integer AS key, sealed_generation(sealed_number)::integer AS number
     FROM documents d JOIN stored_files f ON f.id = d.file_id WHERE d.id = $1`,
    [extractUuid(documentId)],
  )
  expect(generations).toEqual([{ key: 2, number: 2 }])
  const link = await restartedClient.post(`/documents/${documentId}/link`)
  expect(Buffer.from(await (await fetch(link.body.url)).arrayBuffer()).equals(file)).toBe(true)
  const accountRows = await second.service.app.db.query<{ sealed: Uint8Array }>(
    'SELECT sealed_credentials AS sealed FROM stablecoin_accounts',
  )
  const { sealed } = accountRows.rows[0]!
  expect(thief.open(sealed, `text stablecoinAccount ${linkReply.body.id}`)).toBeUndefined()
  expect(second.service.app.enclave.openText('stablecoinAccount', linkReply.body.id, sealed)).toContain(
    'secret',
  )
  // A replay is recognized by its keyed digest, which does not change.
  const replay = await restartedClient.post('/stablecoin-provider-accounts', account, key)
  expect([replay.headers.get('idempotency-replayed'), replay.body]).toEqual(['true', linkReply.body])
})

/** A platform on a server that missed a rotation of the master key. `startWithNewKey` starts another. */
async function createRotatedPlace() {
  const place = await createPlace()
  const staleServer = await place.start(OLD_KEY)
  const credentials = await createPlatform(staleServer.service.app, 'Test')
  const client = new Client(credentials, staleServer.baseUrl)
  const newKey = randomBytes(32)
  await rotateMasterKey(staleServer.service.app.db, OLD_KEY, newKey, new Date())
  const startWithNewKey = async () => new Client(credentials, (await place.start(newKey)).baseUrl)
  return { ...place, staleServer: staleServer.service, client, startWithNewKey }
}

test('a server that missed a rotation creates no webhook secret, but a server with the new key does', async () => {
  const { client, staleServer, stop, startWithNewKey, countResealed } = await createRotatedPlace()
  const before = (await client.get('/webhook-secrets')).body
  for (const headers of [{}, { 'Idempotency-Key': 'one' }]) {
    const refusal = await client.post('/webhook-secrets', { formerValidSeconds: 0 }, headers)
    expect(refusal).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } })
    expect(refusal.body.message).toContain('must be restarted')
  }
  expect((await client.get('/webhook-secrets')).body).toEqual(before)
  await expect(createPlatform(staleServer.app, 'Late')).rejects.toThrow('older data key')
  if (staleServer.app.db.kind === 'embedded') await stop(staleServer)
  const restartedClient = await startWithNewKey()
  // Nothing had to be resealed. Operators wait for this log line.
  await expect.poll(countResealed).toEqual([0])
  const created = await restartedClient.post(
    '/webhook-secrets',
    { formerValidSeconds: 60 },
    { 'Idempotency-Key': 'one' },
  )
  expect(created.status).toBe(201)
  expect(created.body.secret).not.toBe(before.data[0].secret)
  expect((await restartedClient.get('/webhook-secrets')).body.data).toHaveLength(2)
})

const SEALING_CALLS: Record<string, (enclave: OperationEnclave) => unknown> = {
  'a target of one-time codes': (enclave) =>
    enclave.newOtpTarget({ challengeId: 'c', organizationId: 'o', userId: 'u' }),
  'a wallet': (enclave) => enclave.newWallet('InternalAccount:1'),
  'a delegated key': (enclave) => enclave.newDelegatedKey('DelegatedKey:1'),
  'sealed text': (enclave) => enclave.sealText('message', 'Message:1', 'text'),
  'the key of a file': (enclave) => enclave.newFileKey('File:1'),
  'the key of a file that arrived before': (enclave) => enclave.adopt(new Uint8Array(8)),
  'a keyed digest': (enclave) => enclave.mac('otp', 'code'),
  'the number of the key, for a later derivation': (enclave) => enclave.keyGeneration,
}

test('an operation that sealed or derived anything commits only under the newest data key', async () => {
  const { staleServer, client } = await createRotatedPlace()
  const { app } = staleServer
  const platform = (await findOpenPlatform(app.read, client.credentials.platformId))!
  const commitWith = (use: (enclave: OperationEnclave) => unknown) => {
    const op = createOp(app, platform, { kind: 'operator' })
    use(op.enclave)
    return app.commit(op, [guardPlatformOpen(platform)])
  }
  expect(await commitWith((enclave) => enclave.mac('otp', 'code', 1))).toMatchObject({ done: true })
  for (const [label, seal] of Object.entries(SEALING_CALLS)) {
    // Other operations in the same batch are still committed.
    const [neighbour, refusal] = await Promise.allSettled([commitWith(() => undefined), commitWith(seal)])
    expect(neighbour, label).toMatchObject({ status: 'fulfilled', value: { done: true } })
    expect(refusal, label).toMatchObject({ status: 'rejected', reason: { code: 'CS003' } })
  }
})
