import { appendFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer } from '../../worlds/client.testing.ts'
import {
  ask,
  ensureServerBuilt,
  newPlace,
  onPostgres,
  type Place,
  readCredentials,
  run,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

async function expectFailure(place: Place, ...args: string[]): Promise<string> {
  const { code, stderr } = await run(place, args)
  expect(code).toBe(1)
  return stderr
}

const readKeySetting = async (place: Place) => ({
  COUNTERSIGN_MASTER_KEY: await readFile(join(place.dataDir, 'master.key'), 'utf8'),
})

/** Funds an account repeatedly until it is stopped. Each payment is counted before the next request. */
function startFunding(client: Client, account: string) {
  let isStopped = false
  let paid = 0
  const fundingLoop = (async () => {
    while (!isStopped) {
      await fund(client, account, 1)
      paid += 1
    }
  })()
  return {
    paid: () => paid,
    stop: async () => {
      isStopped = true
      await fundingLoop
    },
  }
}

/** Returns the bytes in base64. */
async function downloadDocument(client: Client, id: string): Promise<string> {
  const { body } = await client.post(`/documents/${id}/link`, {})
  const file = await fetch(body.url)
  expect(file.status).toBe(200)
  return Buffer.from(await file.arrayBuffer()).toString('base64')
}

async function readBalance(client: Client, account: string): Promise<number> {
  const { data } = (await client.get('/customers/internal-accounts?limit=100')).body
  return data.find(({ id }: { id: string }) => id === account).balance.amount
}

/** A client with the credentials of another place. */
function createClient(server: ServerProcess, place: Place): Client {
  const { baseUrl } = server
  const client = server.client()
  return Object.assign(Object.create(Object.getPrototypeOf(client)), client, {
    credentials: readCredentials(place),
    baseUrl,
  })
}

describe.skipIf(onPostgres)('a backup of the embedded database', () => {
  test('runs while payments continue, and contains every payment acknowledged before it started', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    const client = server.client()
    const { id: customerId, usd } = await newCustomer(client)
    const uploadReply = await client.post('/documents', {
      documentHolder: customerId,
      documentType: 'PASSPORT',
      country: 'US',
    })
    expect(uploadReply.status, JSON.stringify(uploadReply.body)).toBe(201)
    const payments = startFunding(client, usd)
    while (payments.paid() < 20) await client.get('/config')
    const before = payments.paid()
    const folder = join(place.dataDir, 'backups', 'first')
    const backup = await ask(place, 'backup', 'make', '--to', folder)
    await payments.stop()
    expect(backup).toMatchObject({ backup: folder, documents: 'HERE', verified: { findings: [] } })
    expect(backup.verified.checked.transfers).toBeGreaterThanOrEqual(before)
    const file = await downloadDocument(client, uploadReply.body.id)
    const key = await readFile(join(place.dataDir, 'master.key'), 'utf8')
    expect(JSON.stringify(await readdir(folder, { recursive: true }))).not.toContain('master.key')
    await server.kill('SIGKILL')

    const targetPlace = await newPlace('unused')
    await writeFile(join(targetPlace.dataDir, 'master.key'), key, { mode: 0o600 })
    expect(await ask(targetPlace, 'backup', 'restore', '--from', folder)).toMatchObject({
      restored: targetPlace.dataDir,
      createdAt: backup.createdAt,
    })
    await cp(join(place.dataDir, 'credentials.json'), join(targetPlace.dataDir, 'credentials.json'))
    const restoredServer = await ServerProcess.ready(targetPlace)
    const restoredClient = createClient(restoredServer, targetPlace)
    const balance = await readBalance(restoredClient, usd)
    expect(balance).toBeGreaterThanOrEqual(before)
    expect(balance).toBeLessThanOrEqual(payments.paid())
    expect(await downloadDocument(restoredClient, uploadReply.body.id)).toBe(file)
    // The feed continues after its earlier events.
    const [last] = await restoredClient.events('&sortOrder=desc')
    await fund(restoredClient, usd, 5)
    const newEvents = await restoredClient.events(`&after=${last.id}`)
    expect(newEvents.map(({ objectId }) => objectId)).toContain(usd)
    expect(newEvents.map(({ id }) => id)).not.toContain(last.id)
    expect((await ask(targetPlace, 'books', 'verify')).findings).toEqual([])
  })

  test('is restored completely into an empty directory with its own master key, or not at all', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    await newCustomer(server.client())
    const folder = join(place.dataDir, 'backup')
    await ask(place, 'backup', 'make', '--to', folder)
    expect(await expectFailure(place, 'backup', 'make', '--to', folder)).toContain('already exists')
    await server.kill('SIGTERM')
    const keySetting = await readKeySetting(place)

    const targetPlace = await newPlace('unused')
    const runRestore = (env: Record<string, string>, from = folder) =>
      run(targetPlace, ['backup', 'restore', '--from', from], env).then(({ stderr }) => stderr)
    expect(await expectFailure(place, 'backup', 'restore', '--from', folder)).toContain('already exists')
    expect(await runRestore({})).toContain('The master key is not part of a backup')
    expect(await runRestore({ COUNTERSIGN_MASTER_KEY: '11'.repeat(32) })).toContain('does not open')
    expect(await runRestore(keySetting, join(targetPlace.dataDir, 'nothing'))).toContain('is not a backup')

    const broken = join(targetPlace.dataDir, 'broken')
    await cp(folder, broken, { recursive: true })
    const version = join(broken, 'db', 'PG_VERSION')
    await appendFile(version, ' ')
    expect(await runRestore(keySetting, broken)).toContain(`${version} has changed since the backup was made`)
    await rm(version)
    expect(await runRestore(keySetting, broken)).toContain(`${version} is missing`)
    await cp(join(folder, 'db', 'PG_VERSION'), version)
    await writeFile(join(broken, 'more'), '')
    expect(await runRestore(keySetting, broken)).toContain('does not belong to the backup')
    expect(await readdir(targetPlace.dataDir)).toEqual(['broken'])
    expect(await runRestore(keySetting)).toBe('')
    expect(
      (await ask({ ...targetPlace, env: { ...targetPlace.env, ...keySetting } }, 'books', 'verify')).findings,
    ).toEqual([])
  })
})

describe.runIf(onPostgres)('PostgreSQL', () => {
  test('is checked for log archiving, and cannot be backed up to a folder', async () => {
    const place = await newPlace()
    expect((await ask(place, 'backup', 'check')).findings).toEqual([
      'archive_mode is off: the log is not archived, so point-in-time recovery is impossible.',
    ])
    expect(await expectFailure(place, 'backup', 'make', '--to', '/nowhere')).toContain(
      'PostgreSQL has its own backups',
    )
  })

  test('takes over every row and stored response of an embedded database, and continues its feed', async () => {
    const place = await newPlace('none')
    const embedded: Place = {
      ...place,
      databaseUrl: undefined,
      env: { COUNTERSIGN_DATA_DIR: place.dataDir },
    }
    const laptop = await ServerProcess.ready(embedded)
    const client = laptop.client()
    const { usd, eur, id } = await newCustomer(client, { fullName: 'Ådå "Lovelace", {x} \\ 🎉' })
    await client.post(
      `/sandbox/internal-accounts/${usd}/fund`,
      { amount: 70_000_000_001 },
      { 'Idempotency-Key': 'mine' },
    )
    await client.post('/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: usd },
      destination: { destinationType: 'ACCOUNT', accountId: eur },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1000,
      immediatelyExecute: true,
    })
    await client.advance(0)
    const readState = async (source: Client) => ({
      customer: (await source.get(`/customers/${id}`)).body,
      accounts: (await source.get('/customers/internal-accounts?limit=100')).body,
      transactions: (await source.get('/transactions')).body,
      events: (await source.get('/events?limit=100')).body.data,
    })
    const events = await client.events()
    const before = await readState(client)
    expect(
      await expectFailure(embedded, 'database', 'move', '--from', place.dataDir, '--to', place.databaseUrl!),
    ).toContain(String(laptop.pid))
    await laptop.kill('SIGTERM')

    const { moved, verified } = await ask(
      embedded,
      'database',
      'move',
      '--from',
      place.dataDir,
      '--to',
      place.databaseUrl!,
    )
    expect(moved).toMatchObject({ platforms: 1, customers: 2, events: expect.any(Number) })
    expect(verified.findings).toEqual([])
    expect((await run(embedded, [])).stderr).toContain('was moved to PostgreSQL')
    const server = await ServerProcess.ready(place)
    const movedClient = server.client()
    expect(await readState(movedClient)).toEqual(before)
    const replay = await movedClient.post(
      `/sandbox/internal-accounts/${usd}/fund`,
      { amount: 70_000_000_001 },
      { 'Idempotency-Key': 'mine' },
    )
    expect(replay.headers.get('idempotency-replayed')).toBe('true')
    await fund(movedClient, usd, 1)
    const eventsAfterMove = await movedClient.events()
    expect(eventsAfterMove.slice(0, events.length)).toEqual(events)
    expect(eventsAfterMove.length).toBeGreaterThan(events.length)

    await rm(join(place.dataDir, 'moved-to-postgres'))
    expect(
      await expectFailure(embedded, 'database', 'move', '--from', place.dataDir, '--to', place.databaseUrl!),
    ).toContain('is already in use')
  })
})
