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
import { Receiver, waitForEventState } from '../../worlds/simulators/webhook-receiver.testing.ts'

const DAY_SECONDS = 24 * 3600

let service: TestServer
let client: Client
let folder: string
/** The first month that is not archived. `archiveTime` is half a year after it. */
let cutoffMonth: string
let archiveTime: Date
let cardId: string
let usd: string
let wallet: string

const formatMonth = (at: Date) => at.toISOString().slice(0, 7)
/** Runs the archive as an operator would, half a year from now. */
const archiveLater = (month = cutoffMonth, to = folder) =>
  archive({ ...service.app, clock: () => archiveTime }, month, to)
const readLines = async (file: string) =>
  gunzipSync(await readFile(join(folder, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
interface ListedEvent {
  readonly sequence: number
  readonly data: unknown
}
/** Waits for the object's events. They are listed once no older transaction is open in the cluster. */
async function readEvents(objectId: string, last: number): Promise<ListedEvent[]> {
  const listEvents = async (): Promise<ListedEvent[]> =>
    (await client.get(`/events?objectId=${objectId}&sortOrder=asc&limit=100`)).body.data
  await expect.poll(async () => (await listEvents()).at(-1)?.sequence ?? 0).toBe(last)
  return listEvents()
}
const findLedgerFaults = async () =>
  (await verifyLedger(service.app.db, service.app.enclave.quorumPublicKey)).findings
const listPartNames = async () => (await findParts(service.app.db)).map(({ name }) => name)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-archives-'))
  service = await openServer()
  client = await service.newPlatform()
  const first = (await findParts(service.app.db)).find(({ name }) => name === 'events_first')!
  cutoffMonth = formatMonth(first.until)
  archiveTime = addSeconds(first.until, 200 * DAY_SECONDS)
  const customer = await newCustomer(client)
  usd = customer.usd
  wallet = customer.wallet
  await fund(client, usd, 100)
  cardId = (await newCard(client, customer.id, [usd])).id
  await addMonths(service.app.db, archiveTime)
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

test('the tables of each month up to the next one are created only once, even by several servers', async () => {
  const names = await listPartNames()
  await Promise.all([addMonths(service.app.db, archiveTime), addMonths(service.app.db, archiveTime)])
  expect(await listPartNames()).toEqual(names)
  const events = (await findParts(service.app.db)).filter(({ table }) => table === 'events')
  expect(events.map(({ until }) => formatMonth(until)).at(-1)).toBe(
    formatMonth(startOfNextMonth(startOfNextMonth(archiveTime))),
  )
  for (const [at, { from }] of events.entries())
    expect(from).toEqual(at === 0 ? undefined : events[at - 1]!.until)
})

test('the audit trail cannot be changed in any month', async () => {
  const otherClient = await service.newPlatform()
  await newCustomer(otherClient)
  await otherClient.advance(100 * DAY_SECONDS)
  await newCustomer(otherClient)
  for (const table of [
    'audit_events',
    'audit_events_first',
    ...(await listPartNames()).filter((name) => /^audit.*\d$/.test(name)),
  ]) {
    const { rows } = await service.app.db.query<{ count: bigint }>(`SELECT count(*) AS count FROM ${table}`)
    if (rows[0]!.count === 0n) continue
    for (const change of [`UPDATE ${table} SET operation = 'x'`, `DELETE FROM ${table}`])
      await expect(service.app.db.query(change), change).rejects.toThrow('neither changed nor removed')
  }
})

/** Copies an entry more often than the archive reads rows at a time. */
const MORE_ENTRIES = `
INSERT INTO audit_events (id, platform_id, actor_type, operation, request, created_at)
SELECT (left(a.id::text, 24) || lpad(to_hex(n), 10, '0') || right(a.id::text, 2))::uuid, platform_id, actor_type,
  operation, request, created_at
FROM (SELECT * FROM audit_events_first LIMIT 1) AS a, generate_series(1, 1500) AS n`

test('old months are archived completely to files, and later events keep their numbers', async () => {
  const receiver = await Receiver.of(client)
  await fund(client, usd, 50)
  await receiver.until((all) => all.some(({ event }) => event.objectId === usd))
  const { id } = receiver.received.find(({ event }) => event.objectId === usd)!.event
  await waitForEventState(client, id, ({ deliveryStatus }) => deliveryStatus === 'DELIVERED')
  await client.send('PATCH', '/config', { webhookEndpoint: null })
  await client.advance(0)
  const archivedEvents = { account: await readEvents(usd, 2), card: await readEvents(cardId, 1) }
  const auditTrail = (await client.get('/audit-events?limit=100')).body.data as { id: string }[]
  await service.app.db.query(MORE_ENTRIES)
  // The account has events in a later month, the card does not yet.
  await client.advance(100 * DAY_SECONDS)
  await fund(client, usd, 25)
  const newerEvents = (await readEvents(usd, 3)).slice(2)

  const { archived } = await archiveLater()
  expect(archived.map(({ part }) => part).sort()).toEqual([
    'audit_events_first',
    'events_first',
    'webhook_attempts_first',
  ])
  expect((await readdir(folder)).sort()).toEqual(archived.map(({ file }) => file).sort())
  const events = await readLines('events_first.jsonl.gz')
  expect(events).toHaveLength(archived.find(({ table }) => table === 'events')!.rows)
  const readArchivedData = (objectId: string) =>
    events.filter(({ object_id }) => objectId.endsWith(object_id)).map(({ data }) => JSON.parse(data))
  expect(readArchivedData(usd)).toEqual(archivedEvents.account.map(({ data }) => data))
  expect(readArchivedData(cardId)).toEqual(archivedEvents.card.map(({ data }) => data))
  const auditLines = await readLines('audit_events_first.jsonl.gz')
  expect(auditLines.length).toBeGreaterThan(1_500)
  expect(new Set(auditLines.map((line) => line.id)).size).toBe(auditLines.length)
  for (const entry of auditTrail) expect(auditLines.some((line) => entry.id.endsWith(line.id))).toBe(true)
  const attempts = await readLines('webhook_attempts_first.jsonl.gz')
  // Only the TEST webhook has a row, because events received at the first attempt get no row.
  expect(attempts.map(({ status }) => status)).toEqual([200])

  expect((await client.get(`/events/${id}`)).status).toBe(404)
  expect(await readEvents(usd, 3)).toEqual(newerEvents)
  expect(await findLedgerFaults()).toEqual([])
  // A later event of an object whose events are all in files has the next number.
  expect(await readEvents(cardId, 0)).toEqual([])
  const session = await signIn(client, wallet)
  expect((await update(client, session, cardId, { state: 'FROZEN' })).status).toBe(200)
  expect(await readEvents(cardId, 2)).toHaveLength(1)
  expect(await findLedgerFaults()).toEqual([])
  expect((await archiveLater()).archived).toEqual([])
})

test('the next archive command completes an interrupted one', async () => {
  await client.advance(31 * DAY_SECONDS)
  await fund(client, usd, 5)
  const parts = await findParts(service.app.db)
  const next = parts.find(({ table, from }) => table === 'events' && from !== undefined)!
  await detach(service.app.db, next, archiveTime)
  // The file that another server wrote under this name stays unchanged, and so do the rows.
  const path = join(folder, `${next.name}.jsonl.gz`)
  await writeFile(path, 'of another server')
  await expect(archiveLater(formatMonth(next.until))).rejects.toThrow('already exists')
  expect(await readFile(path, 'utf8')).toBe('of another server')
  await rm(path)
  const { archived } = await archiveLater(formatMonth(next.until))
  // The failed command had already written the audit trail, which comes first.
  expect(archived.map(({ table }) => table)).toEqual(['events', 'webhook_attempts'])
  expect(archived[0]!.part).toBe(next.name)
})

test('the archive check finds a changed or missing file', async () => {
  const checkArchives = () => runCommand(service.app, ['archive', 'check', '--in', folder], '')
  const { data } = (await runCommand(service.app, ['archive', 'list'], '')) as { data: { file: string }[] }
  expect(data.length).toBeGreaterThan(4)
  expect(await checkArchives()).toEqual({ files: data.length, findings: [] })
  await appendFile(join(folder, data[0]!.file), 'x')
  await rm(join(folder, data[1]!.file))
  const { findings } = (await checkArchives()) as { findings: string[] }
  expect(findings).toHaveLength(2)
  expect(findings[0]).toContain(`${data[0]!.file} is damaged: its content has changed`)
  expect(findings[1]).toContain(data[1]!.file)
})

test.each([
  ['2026-13', 'a month like 2026-03'],
  ['yesterday', 'a month like 2026-03'],
  ['2999-01', 'or earlier'],
])('the archive command refuses --before %s', async (month, reason) => {
  await expect(archiveLater(month)).rejects.toThrow(reason)
})

test('the archive command refuses a relative folder', async () => {
  await expect(archiveLater(cutoffMonth, 'archives')).rejects.toThrow('not an absolute path')
})

test('events that are waiting for delivery are not archived', async () => {
  const otherServer = await openServer()
  onTestFinished(() => otherServer.close())
  const otherClient = await otherServer.newPlatform()
  const receiver = await Receiver.of(otherClient)
  receiver.answer = () => 500
  const { usd } = await newCustomer(otherClient)
  await fund(otherClient, usd, 1)
  await receiver.until((all) => all.length > 0)
  await addMonths(otherServer.app.db, archiveTime)
  await expect(
    archive({ ...otherServer.app, clock: () => archiveTime }, cutoffMonth, folder),
  ).rejects.toThrow('not delivered yet')
})
