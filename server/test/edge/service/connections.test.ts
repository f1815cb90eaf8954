import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createPauseWatch } from '../../../src/edge/service/background-work.ts'
import { listenForProbes } from '../../../src/edge/service/health-listener.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'

async function opened(settings: Record<string, string>, options: { openFilesMax?: number } = {}) {
  const server = await openServer({ LOG_LEVEL: 'info', ...settings }, options)
  onTestFinished(() => server.close())
  return server
}

/** Opens connections until the server closes one. Returns those that it let in. */
async function fill({ origin }: TestServer, most: number): Promise<Socket[]> {
  const { hostname, port } = new URL(origin)
  const open: Socket[] = []
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
  })
  for (let count = 0; count < most; count++) {
    const socket = connect(Number(port), hostname).on('error', () => {})
    await once(socket, 'connect')
    open.push(socket)
  }
  return open
}

test('probes have a separate port, which no number of connections to the API closes', async () => {
  const server = await opened({ COUNTERSIGN_CONNECTIONS_MAX: '4' })
  const probes = await listenForProbes(server.server, { host: '127.0.0.1', healthPort: 0 })
  onTestFinished(() => probes.close())
  const at = (path: string) => fetch(`http://127.0.0.1:${probes.port}${path}`)
  await fill(server, 8)
  await expect(fetch(`${server.origin}/healthz`)).rejects.toThrow()
  expect((await at('/healthz')).status).toBe(200)
  expect((await at('/readyz')).status).toBe(200)
  expect(valueIn(await (await at('/metrics')).text(), 'countersign_database_up')).toBe(1)
  // It does not serve the API.
  for (const path of ['/2025-10-13/config', '/docs', '/', '/healthz/../docs'])
    expect((await at(path)).status, path).toBe(404)
})

test('a limit of open files below the setting is a warning at the start, and connections beyond it are refused in the log', async () => {
  const server = await opened({ COUNTERSIGN_CONNECTIONS_MAX: '1000' }, { openFilesMax: 100 })
  const [warning] = server.log().filter(({ msg }) => String(msg).includes('open file limit'))
  expect(warning).toMatchObject({
    level: 40,
    openFilesMax: 100,
    connectionsMax: 16,
    COUNTERSIGN_CONNECTIONS_MAX: 1000,
  })
  const ended = (await fill(server, 20)).map((socket) => socket.destroyed || once(socket, 'close'))
  await Promise.race(ended.slice(16))
  expect(server.log()).toContainEqual(
    expect.objectContaining({ msg: 'refused connections beyond the limit', connectionsMax: 16 }),
  )
  const roomy = await opened({ COUNTERSIGN_CONNECTIONS_MAX: '1000' }, { openFilesMax: 65_536 })
  expect(roomy.logText()).not.toContain('open file limit')
})

test('a server that was suspended logs for how long, and a busy one does not', () => {
  let nowMs = 0
  const paused: number[] = []
  const lines: unknown[] = []
  const look = createPauseWatch(
    { metrics: { recordPause: (ms) => paused.push(ms) }, log: { warn: (line: unknown) => lines.push(line) } },
    () => nowMs,
  )
  for (const ms of [1_000, 1_400, 5_900, 61_000, 1_000]) {
    nowMs += ms
    look()
  }
  expect(paused).toEqual([60_000])
  expect(lines).toEqual([{ seconds: 60 }])
})
