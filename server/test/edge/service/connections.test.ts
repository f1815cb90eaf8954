import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createPauseWatch } from '../../../src/edge/service/background-work.ts'
import { listenForProbes } from '../../../src/edge/service/health-listener.ts'
import { openServer, type TestServer, valueIn } from '../../worlds/server.testing.ts'

async function startServer(settings: Record<string, string>, options: { openFilesMax?: number } = {}) {
  const server = await openServer({ LOG_LEVEL: 'info', ...settings }, options)
  onTestFinished(() => server.close())
  return server
}

/** Opens connections without waiting for the server to accept or close them. */
async function openConnections({ origin }: TestServer, total: number): Promise<Socket[]> {
  const { hostname, port } = new URL(origin)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let count = 0; count < total; count++) {
    const socket = connect(Number(port), hostname).on('error', () => {})
    await once(socket, 'connect')
    sockets.push(socket)
  }
  return sockets
}

test('probes on their separate port work however many connections the API has', async () => {
  const server = await startServer({ COUNTERSIGN_CONNECTIONS_MAX: '4' })
  const probes = await listenForProbes(server.server, { host: '127.0.0.1', healthPort: 0 })
  onTestFinished(() => probes.close())
  const fetchProbe = (path: string) => fetch(`http://127.0.0.1:${probes.port}${path}`)
  await openConnections(server, 8)
  await expect(fetch(`${server.origin}/healthz`)).rejects.toThrow()
  expect((await fetchProbe('/healthz')).status).toBe(200)
  expect((await fetchProbe('/readyz')).status).toBe(200)
  expect(valueIn(await (await fetchProbe('/metrics')).text(), 'countersign_database_up')).toBe(1)
  // The probe port does not serve the API.
  for (const path of ['/2025-10-13/config', '/docs', '/', '/healthz/../docs'])
    expect((await fetchProbe(path)).status, path).toBe(404)
})

test('an open file limit below the setting is logged at the start, and connections beyond it are refused and logged', async () => {
  const server = await startServer({ COUNTERSIGN_CONNECTIONS_MAX: '1000' }, { openFilesMax: 100 })
  const [warning] = server.log().filter(({ msg }) => String(msg).includes('open file limit'))
  expect(warning).toMatchObject({
    level: 40,
    openFilesMax: 100,
    connectionsMax: 16,
    COUNTERSIGN_CONNECTIONS_MAX: 1000,
  })
  const closings = (await openConnections(server, 20)).map(
    (socket) => socket.destroyed || once(socket, 'close'),
  )
  await Promise.race(closings.slice(16))
  expect(server.log()).toContainEqual(
    expect.objectContaining({ msg: 'refused connections beyond the limit', connectionsMax: 16 }),
  )
  const roomyServer = await startServer({ COUNTERSIGN_CONNECTIONS_MAX: '1000' }, { openFilesMax: 65_536 })
  expect(roomyServer.logText()).not.toContain('open file limit')
})

test('a server that was suspended logs for how long, and a busy server logs nothing', () => {
  let nowMs = 0
  const pauses: number[] = []
  const lines: unknown[] = []
  const checkPause = createPauseWatch(
    { metrics: { recordPause: (ms) => pauses.push(ms) }, log: { warn: (line: unknown) => lines.push(line) } },
    () => nowMs,
  )
  for (const ms of [1_000, 1_400, 5_900, 61_000, 1_000]) {
    nowMs += ms
    checkPause()
  }
  expect(pauses).toEqual([60_000])
  expect(lines).toEqual([{ seconds: 60 }])
})
