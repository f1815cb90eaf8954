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

async function refused(place: Place, ...args: string[]): Promise<string> {
  const { code, stderr } = await run(place, args)
  expect(code).toBe(1)
  return stderr
}

const withKeyOf = async (place: Place) => ({
  COUNTERSIGN_MASTER_KEY: await readFile(join(place.dataDir, 'master.key'), 'utf8'),
})

/** Funds an account repeatedly until told to stop. Each response is recorded before the next call. */
function load(client: Client, account: string) {
  let isStopped = false
  let paid = 0
  const ended = (async () => {
    while (!isStopped) {
      await fund(client, account, 1)
      paid += 1
    }
  })()
  return {
    paid: () => paid,
    stop: async () => {
      isStopped = true
      await ended
    },
  }
}

/** The bytes of a document, as its reader gets them. */
async function fileOf(client: Client, id: string): Promise<string> {
  const { body } = await client.post(`/documents/${id}/link`, {})
  const file = await fetch(body.url)
  expect(file.status).toBe(200)
  return Buffer.from(await file.arrayBuffer()).toString('base64')
}

async function balanceOf(client: Client, account: string): Promise<number> {
  const { data } = (await client.get('/customers/internal-accounts?limit=100')).body
  return data.find(({ id }: { id: string }) => id === account).balance.amount
}

/** The clients of a server whose credentials were written elsewhere. */
function clientOf(server: ServerProcess, place: Place): Client {
  const { baseUrl } = server
  const client = server.client()
  return Object.assign(Object.create(Object.getPrototypeOf(client)), client, {
    credentials: readCredentials(place),
    baseUrl,
  })
}

describe.skipIf(onPostgres)('a backup of the embedded database', () => {
  test('runs while payments continue, and has every payment acknowledged before it began', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    const client = server.client()
    const { id: customerId, usd } = await newCustomer(client)
    const uploaded = await client.post('/documents', {
      documentHolder: customerId,
      documentType: 'PASSPORT',
      country: 'US',
    })
    expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(201)
    const payments = load(client, usd)
    while (payments.paid() < 20) await client.get('/config')
    const before = payments.paid()
    const folder = join(place.dataDir, 'backups', 'first')
    const made = await ask(place, 'backup', 'make', '--to', folder)
    await payments.stop()
    expect(made).toMatchObject({ backup: folder, documents: 'HERE', verified: { findings: [] } })
    expect(made.verified.checked.transfers).toBeGreaterThanOrEqual(before)
    const file = await fileOf(client, uploaded.body.id)
    const key = await readFile(join(place.dataDir, 'master.key'), 'utf8')
    expect(JSON.stringify(await readdir(folder, { recursive: true }))).not.toContain('master.key')
    await server.kill('SIGKILL')

    const other = await newPlace('unused')
    await writeFile(join(other.dataDir, 'master.key'), key, { mode: 0o600 })
    expect(await ask(other, 'backup', 'restore', '--from', folder)).toMatchObject({
      restored: other.dataDir,
      createdAt: made.createdAt,
    })
    await cp(join(place.dataDir, 'credentials.json'), join(other.dataDir, 'credentials.json'))
    const restored = await ServerProcess.ready(other)
    const again = clientOf(restored, other)
    const balance = await balanceOf(again, usd)
    expect(balance).toBeGreaterThanOrEqual(before)
    expect(balance).toBeLessThanOrEqual(payments.paid())
    expect(await fileOf(again, uploaded.body.id)).toBe(file)
    // The feed continues behind its earlier events.
    const [last] = await again.events('&sortOrder=desc')
    await fund(again, usd, 5)
    const more = await again.events(`&after=${last.id}`)
    expect(more.map(({ objectId }) => objectId)).toContain(usd)
    expect(more.map(({ id }) => id)).not.toContain(last.id)
    expect((await ask(other, 'books', 'verify')).findings).toEqual([])
  })

  test('is restored completely, with its own master key, into an empty directory, or not at all', async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    await newCustomer(server.client())
    const folder = join(place.dataDir, 'backup')
    await ask(place, 'backup', 'make', '--to', folder)
    expect(await refused(place, 'backup', 'make', '--to', folder)).toContain('already exists')
    await server.kill('SIGTERM')
    const own = await withKeyOf(place)

    const other = await newPlace('unused')
    const restore = (env: Record<string, string>, from = folder) =>
      run(other, ['backup', 'restore', '--from', from], env).then(({ stderr }) => stderr)
    expect(await refused(place, 'backup', 'restore', '--from', folder)).toContain('already exists')
    expect(await restore({})).toContain('The master key is not part of a backup')
    expect(await restore({ COUNTERSIGN_MASTER_KEY: '11'.repeat(32) })).toContain('does not open')
    expect(await restore(own, join(other.dataDir, 'nothing'))).toContain('is not a backup')

    const broken = join(other.dataDir, 'broken')
    await cp(folder, broken, { recursive: true })
    const version = join(broken, 'db', 'PG_VERSION')
    await appendFile(version, ' ')
    expect(await restore(own, broken)).toContain(`${version} has changed since the backup was made`)
    await rm(version)
    expect(await restore(own, broken)).toContain(`${version} is missing`)
    await cp(join(folder, 'db', 'PG_VERSION'), version)
    await writeFile(join(broken, 'more'), '')
    expect(await restore(own, broken)).toContain('does not belong to the backup')
    expect(await readdir(other.dataDir)).toEqual(['broken'])
    expect(await restore(own)).toBe('')
    expect((await ask({ ...other, env: { ...other.env, ...own } }, 'books', 'verify')).findings).toEqual([])
  })
})

describe.runIf(onPostgres)('PostgreSQL', () => {
  test('is checked for an archived log, and takes no folder for a backup', async () => {
    const place = await newPlace()
    expect((await ask(place, 'backup', 'check')).findings).toEqual([
      'archive_mode is off: the log is not archived, so point-in-time recovery is impossible.',
    ])
    expect(await refused(place, 'backup', 'make', '--to', '/nowhere')).toContain(
      'PostgreSQL has its own backups',
    )
  })

  test('takes over an embedded database: every row, every stored response, and the feed continues', async () => {
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
    const answers = async (of: Client) => ({
      customer: (await of.get(`/customers/${id}`)).body,
      accounts: (await of.get('/customers/internal-accounts?limit=100')).body,
      transactions: (await of.get('/transactions')).body,
      events: (await of.get('/events?limit=100')).body.data,
    })
    const events = await client.events()
    const before = await answers(client)
    expect(
      await refused(embedded, 'database', 'move', '--from', place.dataDir, '--to', place.databaseUrl!),
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
    const there = server.client()
    expect(await answers(there)).toEqual(before)
    const repeated = await there.post(
      `/sandbox/internal-accounts/${usd}/fund`,
      { amount: 70_000_000_001 },
      { 'Idempotency-Key': 'mine' },
    )
    expect(repeated.headers.get('idempotency-replayed')).toBe('true')
    await fund(there, usd, 1)
    const now = await there.events()
    expect(now.slice(0, events.length)).toEqual(events)
    expect(now.length).toBeGreaterThan(events.length)

    await rm(join(place.dataDir, 'moved-to-postgres'))
    expect(
      await refused(embedded, 'database', 'move', '--from', place.dataDir, '--to', place.databaseUrl!),
    ).toContain('is already in use')
  })
})
