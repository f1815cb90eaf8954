import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { answerCall } from '../example-bank/calls.ts'
import { LOOPBACK } from '../example-bank/control-api.ts'
import { Delivery } from '../example-bank/deliver.ts'
import { type Answer, attempt, listen, ok, Refusal, send } from '../example-bank/http.ts'
import { secretsOf } from '../example-bank/signatures.ts'
import { closePastDays, DAY_CHECK_MS } from '../example-bank/start.ts'
import { Bridge, CELLS, type CellName } from './bridge.ts'

/** The bridge's settings for one cell. */
export interface Side {
  /** The port for the cell's calls. 0 picks a free one. */
  readonly port: number
  /** The URL for events to the cell: …/rail-events/RAIL-NAME */
  readonly events: string
  /** One or two secrets (`whsec_…`), separated by a space. */
  readonly secrets: string
}

export interface RunningBridge {
  readonly urls: Readonly<Record<CellName, string>>
  readonly close: () => Promise<void>
}

/** Opens the bridge with the journal in `folder`, and serves both cells. */
export async function startBridge(
  folder: string,
  sides: Readonly<Record<CellName, Side>>,
): Promise<RunningBridge> {
  let isOpen: (bridge: Bridge) => void = () => {}
  const opened = new Promise<Bridge>((resolve) => {
    isOpen = resolve
  })
  const startServer = (cell: CellName) => {
    const secrets = secretsOf(sides[cell].secrets)
    return createServer(async (request, response) => {
      const bridge = await opened
      await serve(bridge, () => answerCall(bridge.desks[cell], secrets, request), request, response)
    })
  }
  const servers = { north: startServer('north'), south: startServer('south') }
  // Open the ports first: a second bridge started by mistake must not write to the first one's journal.
  const urls = {
    north: await listen(servers.north, sides.north.port, '127.0.0.1'),
    south: await listen(servers.south, sides.south.port, '127.0.0.1'),
  }
  const bridge = await Bridge.open(join(folder, 'journal.jsonl'))
  const deliveries = CELLS.map((cell) => {
    const delivery = new Delivery(bridge.desks[cell], sides[cell].events, secretsOf(sides[cell].secrets))
    bridge.desks[cell].onEvents = (reported) => delivery.take(reported)
    return delivery
  })
  closePastDays(bridge)
  const days = setInterval(() => closePastDays(bridge), DAY_CHECK_MS)
  isOpen(bridge)
  return {
    urls,
    close: async () => {
      clearInterval(days)
      for (const delivery of deliveries) delivery.close()
      for (const server of Object.values(servers)) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      await bridge.journal.close()
    },
  }
}

/** Responds to a request once all changes that the response mentions are on disk. */
async function serve(
  bridge: Bridge,
  call: () => Promise<Answer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await attempt(request.url?.startsWith('/bridge/') ? () => control(bridge, request) : call)
  await bridge.journal.waitUntilWritten()
  if (!response.destroyed) send(response, answer)
}

/** Serves the control calls for people and tests. They are not signed, so only this machine may make them. */
async function control(bridge: Bridge, { method, url, socket, headers }: IncomingMessage): Promise<Answer> {
  const isLocal = LOOPBACK.test(socket.remoteAddress ?? '') && !headers.origin
  if (isLocal && method === 'GET' && url === '/bridge/position') return ok(bridge.position())
  if (isLocal && method === 'POST' && url === '/bridge/days/close') return ok({ date: bridge.closeDay() })
  throw new Refusal(404, 'NOT_FOUND', 'No endpoint matches this path.')
}
