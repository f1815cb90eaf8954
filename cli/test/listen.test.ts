import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyWebhook } from '@countersign/sdk/webhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../test/ports.testing.ts'
import { makeShop, PROGRAM } from './shop.testing.ts'

let folder: string
let shop: Awaited<ReturnType<typeof makeShop>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-listen-'))
  shop = await makeShop(folder, { usdb: 1n, usd: 12_345n })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Received {
  readonly id: string
  readonly hasDeliveryStatus: unknown
  readonly status: number
}

/** Opens a local server that checks each signature and responds with the chosen status. */
async function openReceiver(secrets: readonly string[], chooseStatus: (id: string) => number) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const event = await verifyWebhook({
      payload: Buffer.concat(parts),
      headers: request.headers,
      secret: secrets,
    }).catch(() => undefined)
    const status = event === undefined ? 401 : chooseStatus(event.id)
    received.push({ id: event?.id ?? '', hasDeliveryStatus: event && 'deliveryStatus' in event, status })
    response.writeHead(status).end()
  })
  const url = `http://127.0.0.1:${await listen(server)}/hooks`
  return { url, received, close: () => server.close() }
}

function startListener(url: string): ChildProcess {
  const args = [PROGRAM, 'listen', '--forward-to', url, '--events', 'INTERNAL_ACCOUNT.BALANCE_UPDATED']
  const env = { ...process.env, ...shop.env, XDG_STATE_HOME: join(folder, 'state') }
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Resolves with the listener's output before the first event. */
function waitUntilForwarding(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stderr?.on('data', (data) => {
      output += data
      if (output.includes('Forwarding events to')) resolve(output)
    })
    child.once('exit', () => reject(new Error(`It has ended: ${output}`)))
  })
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill(signal)
  return ended
}

async function fund(times: number): Promise<void> {
  for (let n = 0; n < times; n++) await shop.countersign.sandbox.fund(shop.customer.usdId, { amount: 100n })
}

/** Returns the newest event. The feed ends before open transactions, so this waits for a new event. */
async function newestEvent(): Promise<string> {
  const { events, customers } = shop.countersign
  const { id: objectId } = await customers.create({ customerType: 'INDIVIDUAL', fullName: 'Marker' })
  await expect.poll(async () => (await events.list({ objectId })).data.length).toBeGreaterThan(0)
  return (await events.list({ sortOrder: 'desc', limit: 1 })).data[0]!.id
}

async function readFeed(after: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { id, type } of shop.countersign.events.list({ after }))
    if (type === 'INTERNAL_ACCOUNT.BALANCE_UPDATED') ids.push(id)
  return ids
}

describe.skipIf(!existsSync(PROGRAM))('countersign listen', () => {
  test('listen delivers each event once and in order, despite restarts and a failing receiver', async () => {
    const { countersign } = shop
    const before = await newestEvent()
    const secrets = (await countersign.webhookSecrets.list()).data.map(({ secret }) => secret)
    let isFailing = false
    const receiver = await openReceiver(secrets, () =>
      isFailing ? 503 : receiver.received.length % 2 ? 409 : 204,
    )
    const acknowledged = () => receiver.received.filter(({ status }) => status < 300 || status === 409)
    try {
      const first = startListener(receiver.url)
      const output = await waitUntilForwarding(first)
      for (const secret of secrets) expect(output).toContain(`Signing secret: ${secret}\n`)
      await fund(3)
      await expect.poll(() => acknowledged().length).toBe(3)
      isFailing = true
      await fund(2)
      await expect.poll(() => receiver.received.length).toBeGreaterThan(4)
      expect(await stop(first, 'SIGTERM')).toBe(0)
      // Events that occur while no listener runs are not lost either.
      await fund(2)
      isFailing = false
      const second = startListener(receiver.url)
      await expect.poll(() => acknowledged().length).toBe(7)
      await fund(1)
      await expect.poll(() => acknowledged().length).toBe(8)
      expect(await stop(second, 'SIGTERM')).toBe(0)
      expect(acknowledged().map(({ id }) => id)).toEqual(await readFeed(before))
      expect(
        receiver.received.every(({ status, hasDeliveryStatus }) => status !== 401 && !hasDeliveryStatus),
      ).toBe(true)
    } finally {
      receiver.close()
    }
  })
})
