import { present } from '@countersign/contract/core/objects'
import type { EventType } from '@countersign/contract/events/events'
import { toJson } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { readTime } from '../terminal/options.ts'
import { getErrorMessage } from '../terminal/thrown.ts'

/** `countersign events stream`: prints events until the signal is aborted. Throws CountersignError. */
export async function streamEvents(
  { countersign, isJson }: Shell,
  {
    after,
    types,
    signal,
  }: {
    readonly after: string | undefined
    readonly types: readonly EventType[] | undefined
    readonly signal: AbortSignal
  },
): Promise<void> {
  const onConnection = (isOpen: boolean, error?: unknown) => {
    if (!isOpen && error !== undefined) io().stderr.write(`${getErrorMessage(error)} Retrying.\n`)
  }
  for await (const event of countersign.followEvents({
    ...present({ after, types }),
    signal,
    onConnection,
  })) {
    const { timestamp, type, objectId, id } = event
    io().stdout.write(isJson ? `${toJson(event)}\n` : `${timestamp}  ${type}  ${objectId}  ${id}\n`)
  }
}

/** `countersign events replay`: asks for confirmation unless `--yes` is given. Throws Failure. */
export async function replayEvents(
  shell: Shell,
  options: {
    readonly from: string
    readonly to?: string
    readonly types?: readonly EventType[]
    readonly yes?: boolean
  },
): Promise<void> {
  const startDate = readTime(options.from, '--from')
  const endDate = readTime(options.to, '--to')
  const { webhookEndpoint } = await shell.countersign.config.get()
  if (!webhookEndpoint) throw new Failure('No webhookEndpoint is set. Set one in the configuration first.')
  const span = `from ${startDate} to ${endDate ?? 'now'}`
  await confirmAction(`Redeliver the events ${span} to ${webhookEndpoint}?`, options.yes)
  const types = options.types ? [...options.types] : undefined
  const result = await shell.countersign.events.replay({ startDate, ...present({ endDate, types }) })
  printResult(shell, result, [`${result.events} events ${span} will be redelivered in order.`])
}
