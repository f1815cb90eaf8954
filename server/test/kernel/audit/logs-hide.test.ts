import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isObject } from '@countersign/contract/core/decode'
import { getSensitivity } from '@countersign/contract/core/sensitivity'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { archive } from '../../../src/edge/backups/archive.ts'
import { addSeconds } from '../../../src/kernel/operation/app.ts'
import { addMonths, findParts } from '../../../src/storage/schema/months.ts'
import {
  buildValidBody,
  idsFor,
  newWorld,
  pathWith,
  selectCaller,
  type World,
} from '../../worlds/contract/calls.testing.ts'
import {
  ENDPOINTS,
  type Json,
  type JsonSchema,
  membersOf,
  withRaw,
} from '../../worlds/contract/schemas.testing.ts'
import { findPlaces } from '../../worlds/records/erasures.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let host: TestServer
let world: World
beforeAll(async () => {
  host = await openServer({ LOG_LEVEL: 'debug' })
  world = await newWorld(await host.newPlatform())
})
afterAll(() => host.close())

/** The first byte of a compressed file. */
const GZIP = 0x1f
const MARK_PREFIX = 'quahogmark'
let marks = 0
const secrets: string[] = []

/** Creates a string that occurs nowhere else. */
function newMark(schema: JsonSchema): string {
  const mark = `${MARK_PREFIX}-${++marks}-x`
  if (getSensitivity(schema as object) === 'secret') secrets.push(mark)
  return mark
}

/** True if a property accepts any string, and logs hide it. */
function isFreeText(schema: JsonSchema): boolean {
  const sensitivity = getSensitivity(schema as object)
  return (
    sensitivity !== undefined &&
    sensitivity !== 'plain' &&
    schema.type === 'string' &&
    !schema.pattern &&
    !schema.format
  )
}

/** Puts a separate mark into every property that accepts any string. */
function markFreeText(schema: JsonSchema, body: Json): Json {
  return membersOf(schema, body)
    .filter(({ schema: member }) => isFreeText(member))
    .reduce<Json>(
      (text, { path, schema: member }) => JSON.parse(withRaw(text, path, `"${newMark(member)}"`)),
      body,
    )
}

/** One body that fits the schema, and bodies with a wrong or an unknown field. */
function buildBodies(schema: JsonSchema, valid: Json): unknown[] {
  const leafMembers = membersOf(schema, valid).filter(
    ({ schema: member }) => !member.properties && !member.items,
  )
  const wrongBodies = leafMembers.map(({ path, schema: member }) =>
    JSON.parse(withRaw(valid, path, `{"a":"${newMark(member)}"}`)),
  )
  const unknownBodies = isObject(valid)
    ? [{ ...valid, socialSecurityNumber: `${MARK_PREFIX}-${++marks}` }]
    : []
  return [markFreeText(schema, valid), ...wrongBodies, ...unknownBodies]
}

/** A query with a mark in each parameter, except strings that logs show unchanged. */
function buildQuery(schema: JsonSchema | undefined): string {
  const names = Object.entries(schema?.properties ?? {})
    .filter(([, member]) => {
      const isFixed = (member.enum ?? member.pattern ?? member.format) !== undefined
      return member.type !== 'string' || isFixed || getSensitivity(member as object) !== 'plain'
    })
    .map(([name]) => name)
  return [...names, 'unknown'].map((name) => `${name}=${MARK_PREFIX}-${++marks}`).join('&')
}

const HALF_A_YEAR_SECONDS = 200 * 86_400

/** Archives the database as if half a year had passed, and returns the text of all archives. */
async function readArchives(app: TestServer['app']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-archives-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const until = (await findParts(app.db)).find(({ name }) => name === 'events_first')?.until ?? new Date()
  const archiveTime = addSeconds(until, HALF_A_YEAR_SECONDS)
  await addMonths(app.db, archiveTime)
  const { archived } = await archive(
    { ...app, clock: () => archiveTime },
    until.toISOString().slice(0, 7),
    folder,
  )
  expect(archived.length).toBeGreaterThan(2)
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))))
  return files.map((file) => (file[0] === GZIP ? gunzipSync(file) : file).toString()).join('\n')
}

test('no log contains a string from a hidden field of any request, and no table or archive contains a secret', async () => {
  const statuses = new Map<number, number>()
  for (const [name, endpoint] of ENDPOINTS) {
    if (endpoint.upload || name === 'sandbox_clock_advance' || name === 'event_stream') continue
    const caller = selectCaller(endpoint, world)
    const path = pathWith(endpoint, (kind) => idsFor(endpoint, world)[kind] ?? 'x')
    if (endpoint.method === 'GET') {
      await caller.send('GET', `${path}?${buildQuery(endpoint.query as JsonSchema)}`)
      continue
    }
    const valid = buildValidBody(name, idsFor(endpoint, world))
    if (valid === undefined) continue
    for (const body of buildBodies(endpoint.body as JsonSchema, valid)) {
      const { status } = await caller.send(endpoint.method, path, body)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  // Most bodies reach the handlers, because few are refused for their caller.
  expect(statuses.get(201)).toBeGreaterThan(10)
  expect(statuses.get(400)).toBeGreaterThan(100)
  expect(statuses.get(401) ?? 0).toBeLessThan(20)
  expect(secrets.length).toBeGreaterThan(20)
  await host.app.requestLog.flush()
  const { rows } = await host.app.db.query<{ text: string; operation: string }>(
    // The caller's name is a separate column, which erasure clears.
    `SELECT (to_jsonb(l) - 'actor_name')::text AS text, operation FROM logged_requests AS l`,
    [],
  )
  expect(rows.length).toBeGreaterThan(300)
  expect(rows.filter(({ text }) => text.includes(MARK_PREFIX)).map(({ text }) => text)).toEqual([])
  expect(host.logText()).not.toContain(MARK_PREFIX)
  expect(host.logText().length).toBeGreaterThan(10_000)
  const places = await findPlaces(host.app.db, secrets)
  expect([...places].filter(([, columns]) => columns.length > 0)).toEqual([])
  const archives = await readArchives(host.app)
  expect(archives).toContain('"operation"')
  expect(secrets.filter((secret) => archives.includes(secret))).toEqual([])
  for (const { httpRequestId } of (await world.client.get('/requests?limit=100')).body.data) {
    const { actor: _, ...visible } = (await world.client.get(`/requests/${httpRequestId}`)).body
    expect(JSON.stringify(visible)).not.toContain(MARK_PREFIX)
  }
})
