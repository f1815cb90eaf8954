import { setTimeout as pause } from 'node:timers/promises'
import { type AgentAction, ConnectionError, CountersignError, toJson } from '@countersign/sdk'
import { programWords } from '../terminal/program-words.ts'
import type { Shell } from '../terminal/shell.ts'
import { messageOf } from '../terminal/thrown.ts'
import { actionInWords } from './words.ts'

const INTERVAL_MS = 1_000

/**
 * `countersign agent watch`: prints pending actions, at once and as they arrive, and those that have been decided,
 * until the signal is aborted. If the server is not reachable, reports it once and keeps trying.
 */
export async function watchApprovals(
  shell: Shell,
  options: { readonly agent?: string; readonly signal: AbortSignal },
): Promise<void> {
  const { signal } = options
  let known: ReadonlyMap<string, AgentAction> = new Map()
  let isAway = false
  for (let isFirst = true; ; isFirst = false) {
    try {
      const waiting = await readWaiting(shell, options.agent, signal)
      say(shell, known, waiting, isFirst)
      known = waiting
      isAway = false
    } catch (error) {
      if (signal.aborted) return
      if (isFirst || !isPassing(error)) throw error
      if (!isAway) process.stderr.write(`${messageOf(error)} Retrying.\n`)
      isAway = true
    }
    await pause(INTERVAL_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
  }
}

async function readWaiting(
  { countersign }: Shell,
  agentId: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, AgentAction>> {
  const query = { sortOrder: 'asc', limit: 100, ...(agentId === undefined ? {} : { agentId }) } as const
  const waiting = new Map<string, AgentAction>()
  for await (const action of countersign.paginate('agent_approval_list', { query, signal }))
    waiting.set(action.id, action)
  return waiting
}

function say(
  { isJson }: Shell,
  known: ReadonlyMap<string, AgentAction>,
  waiting: ReadonlyMap<string, AgentAction>,
  isFirst: boolean,
): void {
  const write = (text: string) => process.stdout.write(`${text}\n`)
  const news = [...waiting.values()].filter(({ id }) => !known.has(id))
  if (isJson) {
    for (const action of news) write(toJson(action))
    return
  }
  if (isFirst)
    write(
      `${waiting.size === 0 ? 'Nothing waits for approval' : `${waiting.size} waiting`}. Ctrl-C ends this.`,
    )
  for (const action of known.values()) if (!waiting.has(action.id)) write(`${action.id} has been decided.`)
  for (const action of news) {
    write(`${action.createdAt}  ${action.id}  of ${action.agentId} for ${action.customerId}`)
    write(`  ${actionInWords(action)}`)
    write(`  ${programWords()} agent approve ${action.id}   (or: reject)`)
  }
}

/** Errors that a retry may resolve. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return error instanceof CountersignError && (error.status >= 500 || error.status === 429)
}
