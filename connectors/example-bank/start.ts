import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bank } from './bank.ts'
import { handleCall } from './calls.ts'
import { handleControlCall } from './control-api.ts'
import { Delivery } from './deliver.ts'
import { listen, runHandler, sendResponse } from './http.ts'
import { type Behaviour, DEFAULT_BEHAVIOUR } from './outcomes.ts'
import { parseSecrets } from './signatures.ts'

export interface BankOptions {
  /** 0 picks a free port. */
  readonly port: number
  readonly host?: string
  /** The folder with the journal. */
  readonly folder: string
  /** The URL for events. If absent, events wait. */
  readonly events?: string
  /** One or two secrets (`whsec_…`), separated by a space. */
  readonly secrets: string
  readonly behaviour?: Partial<Behaviour>
}

export interface RunningBank {
  readonly url: string
  readonly close: () => Promise<void>
}

export const DAY_CHECK_MS = 60_000

/** Opens the bank with the data in its folder and serves it. */
export async function startBank(options: BankOptions): Promise<RunningBank> {
  const secrets = parseSecrets(options.secrets)
  const behaviour = { ...DEFAULT_BEHAVIOUR, ...options.behaviour }
  let isOpen: (bank: Bank) => void = () => {}
  const opened = new Promise<Bank>((resolve) => {
    isOpen = resolve
  })
  const server = createServer(async (request, response) => serve(await opened, secrets, request, response))
  // The port comes first: a second bank started by mistake must not write into the first one's journal.
  const url = await listen(server, options.port, options.host ?? '127.0.0.1')
  const bank = await Bank.open(join(options.folder, 'journal.jsonl'), behaviour).catch((error) => {
    server.close()
    throw error
  })
  const delivery = options.events === undefined ? undefined : new Delivery(bank, options.events, secrets)
  bank.onEvents = (events) => delivery?.enqueue(events)
  bank.onBehaviour = () => delivery?.sendReady()
  isOpen(bank)
  closePastDays(bank)
  const days = setInterval(() => closePastDays(bank), DAY_CHECK_MS)
  return {
    url,
    close: async () => {
      clearInterval(days)
      delivery?.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await bank.close()
    },
  }
}

/** Responds to a request once all changes in the response are on disk. */
async function serve(
  bank: Bank,
  secrets: readonly Buffer[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { behaviour } = bank
  if (request.url?.startsWith('/bank/')) {
    const reply = await runHandler(() => handleControlCall(bank, request))
    await bank.journal.waitUntilWritten()
    sendResponse(response, reply)
    return
  }
  if (behaviour.dropRequests > 0) {
    behaviour.dropRequests -= 1
    request.socket.destroy()
    return
  }
  const reply =
    Date.now() < behaviour.failUntilMs
      ? {
          status: 503,
          body: { code: 'UNAVAILABLE', message: 'The bank is temporarily unavailable. Try again.' },
        }
      : await runHandler(() => handleCall(bank, secrets, request))
  await bank.journal.waitUntilWritten()
  if (behaviour.answerDelayMs > 0) await sleep(behaviour.answerDelayMs)
  if (behaviour.dropAnswers > 0 && 'idempotency-key' in request.headers && reply.status === 200) {
    behaviour.dropAnswers -= 1
    request.socket.destroy()
    return
  }
  if (!response.destroyed) sendResponse(response, reply)
}

/** Closes all days before today (UTC). */
export function closePastDays(bank: Pick<Bank, 'books' | 'closeDay'>): void {
  const today = new Date().toISOString().slice(0, 10)
  while (bank.books.date < today) bank.closeDay()
}
