import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { handleCall } from '../example-bank/calls.ts'
import { LOOPBACK } from '../example-bank/control-api.ts'
import { Delivery } from '../example-bank/deliver.ts'
import { type HttpResponse, listen, ok, Refusal, runHandler, sendResponse } from '../example-bank/http.ts'
import { parseSecrets } from '../example-bank/signatures.ts'
import { closePastDays, DAY_CHECK_MS } from '../example-bank/start.ts'
import { Bridge, CELLS, type CellName } from './bridge.ts'

/** The bridge's settings for one cell. */
export interface CellOptions {
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
  cellOptions: Readonly<Record<CellName, CellOptions>>,
): Promise<RunningBridge> {
  let isOpen: (bridge: Bridge) => void = () => {}
  const opened = new Promise<Bridge>((resolve) => {
    isOpen = resolve
  })
  const startServer = (cell: CellName) => {
    const secrets = parseSecrets(cellOptions[cell].secrets)
    return createServer(async (request, response) => {
      const bridge = await opened
      await serve(bridge, () => handleCall(bridge.banks[cell], secrets, request), request, response)
    })
  }
  const servers = { north: startServer('north'), south: startServer('south') }
  // Open the ports first: a second bridge started by mistake must not write to the first one's journal.
  const urls = {
    north: await listen(servers.north, cellOptions.north.port, '127.0.0.1'),
    south: await listen(servers.south, cellOptions.south.port, '127.0.0.1'),
  }
  const bridge = await Bridge.open(join(folder, 'journal.jsonl'))
  const deliveries = CELLS.map((cell) => {
    const delivery = new Delivery(
      bridge.banks[cell],
      cellOptions[cell].events,
      parseSecrets(cellOptions[cell].secrets),
    )
    bridge.banks[cell].onEvents = (reported) => delivery.enqueue(reported)
    return delivery
  })
  closePastDays(bridge)
  const dayTimer = setInterval(() => closePastDays(bridge), DAY_CHECK_MS)
  isOpen(bridge)
  return {
    urls,
    close: async () => {
      clearInterval(dayTimer)
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
  call: () => Promise<HttpResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = await runHandler(
    request.url?.startsWith('/bridge/') ? () => handleControlCall(bridge, request) : call,
  )
  await bridge.journal.waitUntilWritten()
  if (!response.destroyed) sendResponse(response, reply)
}

/** Serves the control calls for people and tests. They are not signed, so only this machine may make them. */
async function handleControlCall(
  bridge: Bridge,
  { method, url, socket, headers }: IncomingMessage,
): Promise<HttpResponse> {
  const isLocal = LOOPBACK.test(socket.remoteAddress ?? '') && !headers.origin
  if (isLocal && method === 'GET' && url === '/bridge/position') return ok(bridge.readPosition())
  if (isLocal && method === 'POST' && url === '/bridge/days/close') return ok({ date: bridge.closeDay() })
  throw new Refusal(404, 'NOT_FOUND', 'No endpoint matches this path.')
}
