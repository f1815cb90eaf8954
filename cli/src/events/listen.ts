import { setTimeout as pause } from 'node:timers/promises'
import { present } from '@countersign/contract/core/objects'
import type { EventType } from '@countersign/contract/events/events'
import { ConnectionError, type PlatformEvent, toJson } from '@countersign/sdk'
import pc from 'picocolors'
import type { Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { getErrorMessage } from '../terminal/thrown.ts'
import { Delivery, type DeliveryResult } from './delivery.ts'
import { getPositionPath, readPosition, writePosition } from './position.ts'

export interface ListenOptions {
  readonly forwardTo: string
  readonly types: readonly EventType[] | undefined
  readonly signal: AbortSignal
}

const PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000
const EMPTY_FEED_MS = 1_000

/**
 * `countersign listen`: delivers each event to a local server, in order, and retries until the server accepts
 * it. Stores its position after each event, so that a restart continues with the next one. Throws Failure and
 * CountersignError.
 */
export async function listenForEvents(shell: Shell, options: ListenOptions): Promise<void> {
  const { types, signal } = options
  const filter = present({ types })
  const target = checkTarget(options.forwardTo)
  const { countersign } = shell
  const { id: platformId } = await countersign.config.get()
  const file = getPositionPath({ platformId, target, ...filter })
  const storedPosition = await readPosition(file)
  const start = storedPosition ?? { after: (await findNewestId(shell)) ?? null }
  if (!storedPosition) await writePosition(file, start)
  const delivery = new Delivery(countersign, target)
  // Read the secrets now to fail early if the credentials do not permit it.
  const { data: secrets } = await countersign.webhookSecrets.list()
  for (const { secret } of secrets) printNote(shell, `Signing secret: ${secret}`)
  printNote(
    shell,
    `Forwarding events to ${target}${start.after ? `, starting after ${start.after}` : ''}. Press Ctrl-C to stop.`,
  )

  const deliverAndStore = async (event: PlatformEvent): Promise<boolean> => {
    if (!(await deliver(shell, delivery, event, signal))) return false
    await writePosition(file, { after: event.id })
    return true
  }
  let { after } = start
  if (after === null) {
    const first = await waitForFirstEvent(shell, signal)
    if (!first) return
    after = first.id
    if (types === undefined || types.includes(first.type)) {
      if (!(await deliverAndStore(first))) return
    } else await writePosition(file, { after })
  }
  let isDisconnected = false
  const onConnection = (isOpen: boolean, error?: unknown) => {
    if (!isOpen && error !== undefined && !isDisconnected)
      printNote(shell, `${getErrorMessage(error)} Retrying.`)
    if (isOpen && isDisconnected) printNote(shell, 'The server is reachable again.')
    isDisconnected = !isOpen && error !== undefined ? true : isOpen ? false : isDisconnected
  }
  for await (const event of countersign.followEvents({ after, ...filter, signal, onConnection }))
    if (!(await deliverAndStore(event))) return
}

/** Delivers an event, with retries. Returns false if the command was stopped first. */
async function deliver(
  shell: Shell,
  delivery: Delivery,
  event: PlatformEvent,
  signal: AbortSignal,
): Promise<boolean> {
  for (let pauseMs = PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    const result = await attemptDelivery(delivery, event)
    printDelivery(shell, event, result)
    if (isReceived(event, result)) return true
    await pause(pauseMs, undefined, { signal }).catch(() => {})
  }
  return false
}

/**
 * Makes one attempt. An unreachable API counts as a failed attempt, because the secrets have to be reread
 * periodically.
 */
async function attemptDelivery(delivery: Delivery, event: PlatformEvent): Promise<DeliveryResult> {
  try {
    return await delivery.attempt(event)
  } catch (error) {
    if (error instanceof ConnectionError) return { error: error.message, ms: 0 }
    throw error
  }
}

/**
 * True if the status means that the receiver has processed the event. 403 and 422 reject a pending payment,
 * which is also a valid response.
 */
function isReceived({ type }: PlatformEvent, { status }: DeliveryResult): boolean {
  if (status === undefined) return false
  if (type === 'INCOMING_PAYMENT.PENDING' && (status === 403 || status === 422)) return true
  return status === 409 || (status >= 200 && status < 300)
}

function printDelivery({ isJson }: Shell, event: PlatformEvent, result: DeliveryResult): void {
  const { id, type, objectId } = event
  const at = new Date().toISOString()
  if (isJson) {
    io().stdout.write(`${toJson({ at, eventId: id, type, objectId, ...result })}\n`)
    return
  }
  const paint = isReceived(event, result) ? pc.green : pc.red
  const outcome = paint(String(result.status ?? result.error))
  io().stdout.write(`${pc.dim(at.slice(11, 19))}  ${type}  ${objectId}  ${outcome}  ${result.ms} ms\n`)
}

async function findNewestId({ countersign }: Shell): Promise<string | undefined> {
  const { data } = await countersign.events.list({ sortOrder: 'desc', limit: 1 })
  return data[0]?.id
}

/**
 * Waits for the first event of an empty feed, because a stream can only start after an existing event.
 * Returns undefined if the command was stopped first.
 */
async function waitForFirstEvent(shell: Shell, signal: AbortSignal): Promise<PlatformEvent | undefined> {
  while (!signal.aborted) {
    try {
      const { data } = await shell.countersign.events.list({ limit: 1 })
      if (data[0]) return data[0]
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error
    }
    await pause(EMPTY_FEED_MS, undefined, { signal }).catch(() => {})
  }
  return undefined
}

function checkTarget(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Failure(`--forward-to must be a URL such as http://localhost:3000/hooks, not "${text}".`)
  return new URL(text).href
}

/** Prints a message for people, separate from the event lines. */
function printNote({ isJson }: Shell, text: string): void {
  if (!isJson) io().stderr.write(`${text}\n`)
}
