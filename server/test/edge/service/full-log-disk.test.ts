import { execFileSync } from 'node:child_process'
import { constants, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { Client, newCustomer } from '../../worlds/client.testing.ts'
import { valueIn } from '../../worlds/server.testing.ts'
import {
  ensureServerBuilt,
  newPlace,
  type Place,
  readCredentials,
  ServerProcess,
} from '../../worlds/server-process.testing.ts'

beforeAll(ensureServerBuilt)

/** Every write to this Linux device fails with ENOSPC. */
const FULL_DEVICE = '/dev/full'

/** Starts a server that prints only to a descriptor. Its address is in the file of the first credentials. */
async function startWithOutput(
  place: Place,
  output: number,
): Promise<{ process: ServerProcess; client: Client }> {
  const process = new ServerProcess(place, { LOG_LEVEL: 'debug' }, [], output)
  const client = await vi.waitFor(async () => {
    const credentials = readCredentials(place)
    expect((await fetch(new URL('/readyz', credentials.baseUrl))).status).toBe(200)
    return new Client(credentials, credentials.baseUrl)
  }, timeLimit(60_000))
  return { process, client }
}

async function expectWorkAndStop({
  process,
  client,
}: Awaited<ReturnType<typeof startWithOutput>>): Promise<void> {
  const customers = Array.from({ length: 20 }, () => newCustomer(client))
  expect(new Set((await Promise.all(customers)).map(({ id }) => id)).size).toBe(20)
  const origin = new URL(client.baseUrl).origin
  for (const path of ['/healthz', '/readyz']) expect((await fetch(origin + path)).status, path).toBe(200)
  expect(await readDroppedCount(client)).toBeGreaterThan(20)
  expect(await process.kill('SIGTERM')).toMatchObject({ code: 0 })
}

async function readDroppedCount({ baseUrl }: Client): Promise<number> {
  const page = await (await fetch(`${new URL(baseUrl).origin}/metrics`)).text()
  return valueIn(page, 'countersign_log_lines_dropped_total') ?? 0
}

test.runIf(existsSync(FULL_DEVICE))(
  'a full log disk drops lines, and the server works and ends normally',
  async () => {
    await expectWorkAndStop(await startWithOutput(await newPlace(), openSync(FULL_DEVICE, 'w')))
  },
)

test('an unread log pipe drops lines, and the server works and ends normally', async () => {
  const place = await newPlace()
  const pipe = join(place.dataDir, 'pipe')
  execFileSync('mkfifo', [pipe])
  const running = await startWithOutput(place, openSync(pipe, constants.O_RDWR))
  // Sends requests until the log exceeds the buffers of the pipe and the server.
  await vi.waitFor(async () => {
    const calls = Array.from({ length: 500 }, () => running.client.get('/customers/Customer:none'))
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([404]))
    expect(await readDroppedCount(running.client)).toBeGreaterThan(0)
  }, timeLimit(60_000))
  await expectWorkAndStop(running)
})
