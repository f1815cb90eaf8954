import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { archive } from '../../../src/edge/backups/archive.ts'
import { detach } from '../../../src/edge/backups/archive-store.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { verifyLedger } from '../../../src/operation/proofs/verify.ts'
import { addMonths, findParts, startOfNextMonth } from '../../../src/storage/schema/months.ts'
import { type Client, fund, newCustomer, signIn } from '../../worlds/client.testing.ts'
import { newCard, update } from '../../worlds/records/cards.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import { eventOnce, Receiver } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAY_SECONDS = 24 * 3600

let service: TestServer
let client: Client
let folder: string
/** The first month without an archive, and a time half a year after it. */
let before: string
let later: Date
let cardId: string
let usd: string
let wallet: string

const monthOf = (at: Date) => at.toISOString().slice(0, 7)
/** An operator's call, half a year from now. */
const archiveLater = (month = before, to = folder) =>
  archive({ ...service.app, clock: () => later }, month, to)
const linesOf = async (file: string) =>
  gunzipSync(await readFile(join(folder, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
interface Shown {
  readonly sequence: number
  readonly data: unknown
}
/** The events of an object. They are shown once no transaction that is open in the cluster is older. */
async function eventsOf(objectId: string, last: number): Promise<Shown[]> {
  const read = async (): Promise<Shown[]> =>
    (await client.get(`/events?objectId=${objectId}&sortOrder=asc&limit=100`)).body.data
  await expect.poll(async () => (await read()).at(-1)?.sequence ?? 0).toBe(last)
  return read()
}
const findings = async () =>
  (await verifyLedger(service.app.db, service.app.enclave.quorumPublicKey)).findings
const namesOfParts = async () => (await findParts(service.app.db)).map(({ name }) => name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-archives-'))
  service = await openServer()
  client = await service.newPlatform()
  const first = (await findParts(service.app.db)).find(({ name }) => name === 'events_first')!
  before = monthOf(first.until)
  later = addSeconds(first.until, 200 * DAY_SECONDS)
  const customer = await newCustomer(client)
  usd = customer.usd
  wallet = customer.wallet
  await fund(client, usd, 100)
  cardId = (await newCard(client, customer.id, [usd])).id
  await addMonths(service.app.db, later)
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

test('the tables of each month up to the next exist once, whatever number of servers creates them', async () => {
  const names = await namesOfParts()
  await Promise.all([addMonths(service.app.db, later), addMonths(service.app.db, later)])
  expect(await namesOfParts()).toEqual(names)
  const events = (await findParts(service.app.db)).filter(({ table }) => table === 'events')
  expect(events.map(({ until }) => monthOf(until)).at(-1)).toBe(
    monthOf(startOfNextMonth(startOfNextMonth(later))),
  )
  for (const [at, { from }] of events.entries())
    expect(from).toEqual(at === 0 ? undefined : events[at - 1]!.until)
})

test('the audit trail cannot be changed in any month', async () => {
  const other = await service.newPlatform()
  await newCustomer(other)
  await other.advance(100 * DAY_SECONDS)
  await newCustomer(other)
  for (const table of [
    'audit_events',
    'audit_events_first',
    ...(await namesOfParts()).filter((name) => /^audit.*\d$/.test(name)),
  ]) {
    const { rows } = await service.app.db.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`)
    if (rows[0]!.count === 0n) continue
    for (const change of [`UPDATE ${table} SET operation = 'x'`, `DELETE FROM ${table}`])
      await expect(service.app.db.query(change), change).rejects.toThrow('neither changed nor removed')
  }
})

/** Adds entries like an existing one: more than the archive reads at a time. */
const MORE_ENTRIES = `
INSERT INTO audit_events (id, platform_id, actor_type, operation, request, created_at)
SELECT (left(a.id::text, 24) || lpad(to_hex(n), 10, '0') || right(a.id::text, 2))::uuid, platform_id, actor_type,
  operation, request, created_at
FROM (SELECT * FROM audit_events_first LIMIT 1) AS a, generate_series(1, 1500) AS n`

test('old months are archived to files completely, and the API behaves as if they were still stored', async () => {
  const receiver = await Receiver.of(client)
  await fund(client, usd, 50)
  await receiver.until((all) => all.some(({ event }) => event.objectId === usd))
  const { id } = receiver.received.find(({ event }) => event.objectId === usd)!.event
  await eventOnce(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
  await client.send('PATCH', '/config', { webhookEndpoint: null })
  await client.advance(0)
  const old = { account: await eventsOf(usd, 2), card: await eventsOf(cardId, 1) }
  const trail = (await client.get('/audit-events?limit=100')).body.data as { id: string }[]
  await service.app.db.query(MORE_ENTRIES)
  // The account has events in a later month, the card does not yet.
  await client.advance(100 * DAY_SECONDS)
  await fund(client, usd, 25)
  const newer = (await eventsOf(usd, 3)).slice(2)

  const { archived } = await archiveLater()
  expect(archived.map(({ part }) => part).sort()).toEqual([
    'audit_events_first',
    'events_first',
    'webhook_attempts_first',
  ])
  expect((await readdir(folder)).sort()).toEqual(archived.map(({ file }) => file).sort())
  const events = await linesOf('events_first.jsonl.gz')
  expect(events).toHaveLength(archived.find(({ table }) => table === 'events')!.rows)
  const inFile = (objectId: string) =>
    events.filter(({ object_id }) => objectId.endsWith(object_id)).map(({ data }) => JSON.parse(data))
  expect(inFile(usd)).toEqual(old.account.map(({ data }) => data))
  expect(inFile(cardId)).toEqual(old.card.map(({ data }) => data))
  const audited = await linesOf('audit_events_first.jsonl.gz')
  expect(audited.length).toBeGreaterThan(1_500)
  expect(new Set(audited.map((line) => line.id)).size).toBe(audited.length)
  for (const entry of trail) expect(audited.some((line) => entry.id.endsWith(line.id))).toBe(true)
  const attempts = await linesOf('webhook_attempts_first.jsonl.gz')
  // The one at the TEST: what is received at the first attempt has no row.
  expect(attempts.map(({ status }) => status)).toEqual([200])

  expect((await client.get(`/events/${id}`)).status).toBe(404)
  expect(await eventsOf(usd, 3)).toEqual(newer)
  expect(await findings()).toEqual([])
  // A later event of an object whose events are all in files has the next number.
  expect(await eventsOf(cardId, 0)).toEqual([])
  const session = await signIn(client, wallet)
  expect((await update(client, session, cardId, { state: 'FROZEN' })).status).toBe(200)
  expect(await eventsOf(cardId, 2)).toHaveLength(1)
  expect(await findings()).toEqual([])
  expect((await archiveLater()).archived).toEqual([])
})

test('an archive that was interrupted is finished by the next call', async () => {
  await client.advance(31 * DAY_SECONDS)
  await fund(client, usd, 5)
  const parts = await findParts(service.app.db)
  const next = parts.find(({ table, from }) => table === 'events' && from !== undefined)!
  await detach(service.app.db, next, later)
  // Another server's file of that name is left as it is, and so are the rows.
  const path = join(folder, `${next.name}.jsonl.gz`)
  await writeFile(path, 'of another server')
  await expect(archiveLater(monthOf(next.until))).rejects.toThrow('already exists')
  expect(await readFile(path, 'utf8')).toBe('of another server')
  await rm(path)
  const { archived } = await archiveLater(monthOf(next.until))
  // The audit trail of the month was written by the call before, as it comes first.
  expect(archived.map(({ table }) => table)).toEqual(['events', 'webhook_attempts'])
  expect(archived[0]!.part).toBe(next.name)
})

test('the check finds a changed or missing file', async () => {
  const check = () => runCommand(service.app, ['archive', 'check', '--in', folder], '')
  const { data } = (await runCommand(service.app, ['archive', 'list'], '')) as { data: { file: string }[] }
  expect(data.length).toBeGreaterThan(4)
  expect(await check()).toEqual({ files: data.length, findings: [] })
  await appendFile(join(folder, data[0]!.file), 'x')
  await rm(join(folder, data[1]!.file))
  const { findings } = (await check()) as { findings: string[] }
  expect(findings).toHaveLength(2)
  expect(findings[0]).toContain(`${data[0]!.file} is damaged: its content has changed`)
  expect(findings[1]).toContain(data[1]!.file)
})

test.each([
  ['2026-13', 'a month like 2026-03'],
  ['yesterday', 'a month like 2026-03'],
  ['2999-01', 'or earlier'],
])('--before %s is refused', async (month, reason) => {
  await expect(archiveLater(month)).rejects.toThrow(reason)
})

test('a relative folder is refused', async () => {
  await expect(archiveLater(before, 'archives')).rejects.toThrow('not an absolute path')
})

test('events that wait to be delivered are not archived', async () => {
  const other = await openServer()
  onTestFinished(() => other.close())
  const waiting = await other.newPlatform()
  const receiver = await Receiver.of(waiting)
  receiver.answer = () => 500
  const { usd } = await newCustomer(waiting)
  await fund(waiting, usd, 1)
  await receiver.until((all) => all.length > 0)
  await addMonths(other.app.db, later)
  await expect(archive({ ...other.app, clock: () => later }, before, folder)).rejects.toThrow(
    'not delivered yet',
  )
})
