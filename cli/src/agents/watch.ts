import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionError, CountersignError, type ItemOf, toJson } from '@countersign/sdk'
import type { Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { formatProgramCall } from '../terminal/program-words.ts'
import { getErrorMessage } from '../terminal/thrown.ts'
import { approveAction, rejectAction } from './agents.ts'
import { describeApproval } from './words.ts'

type Approval = ItemOf<'approval_list'>

/** Asks a person to approve or reject an action. Returns undefined to end the watch without a decision. */
export type Ask = (question: string, signal: AbortSignal) => Promise<boolean | undefined>

export interface WatchOptions {
  readonly agent?: string
  /** If omitted, actions are only printed. */
  readonly ask?: Ask
  readonly signal: AbortSignal
}

const INTERVAL_MS = 1_000

/**
 * `countersign agent watch`: prints all pending actions, then new ones and decisions as they happen, until
 * the signal is aborted. With `ask`, asks about each action and submits the decision. If the server is
 * unreachable, reports that once and keeps retrying.
 */
export async function watchApprovals(shell: Shell, options: WatchOptions): Promise<void> {
  const { signal } = options
  let known = new Map<string, Approval>()
  let isDisconnected = false
  for (let isFirst = true; ; isFirst = false) {
    try {
      const pending = await fetchPending(shell, options.agent, signal)
      const added = [...pending.values()].filter(({ objectId }) => !known.has(objectId))
      printChanges(shell, { known, waiting: pending, isFirst })
      known = pending
      isDisconnected = false
      for (const approval of added) {
        printApproval(shell, approval, options.ask === undefined)
        if (!options.ask) continue
        if (!(await decide(shell, approval, options.ask, signal))) return
        known.delete(approval.objectId)
      }
    } catch (error) {
      if (signal.aborted) return
      if (isFirst || !isTemporary(error)) throw error
      if (!isDisconnected) io().stderr.write(`${getErrorMessage(error)} Retrying.\n`)
      isDisconnected = true
    }
    await pause(INTERVAL_MS, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
  }
}

/** Pending actions by id, oldest first. */
async function fetchPending(
  { countersign }: Shell,
  agentId: string | undefined,
  signal: AbortSignal,
): Promise<Map<string, Approval>> {
  const query = { kind: 'AGENT_ACTION', limit: 100 } as const
  const approvals: Approval[] = []
  for await (const approval of countersign.paginate('approval_list', { query, signal }))
    if (agentId === undefined || approval.requestedBy?.id === agentId) approvals.push(approval)
  return new Map(approvals.reverse().map((approval) => [approval.objectId, approval]))
}

interface Change {
  readonly known: ReadonlyMap<string, Approval>
  readonly waiting: ReadonlyMap<string, Approval>
  readonly isFirst: boolean
}

function printChanges({ isJson }: Shell, { known, waiting, isFirst }: Change): void {
  if (isJson) return
  if (isFirst)
    write(
      `${waiting.size === 0 ? 'Nothing is waiting for approval' : `${waiting.size} waiting`}. Press Ctrl-C to stop.`,
    )
  for (const id of known.keys()) if (!waiting.has(id)) write(`${id} has been decided.`)
}

function printApproval({ isJson }: Shell, approval: Approval, showsCommand: boolean): void {
  if (isJson) {
    write(toJson(approval))
    return
  }
  for (const line of describeApproval(approval)) write(line)
  if (showsCommand) write(`  ${formatProgramCall()} agent approve ${approval.objectId}   (or: reject)`)
}

/**
 * Asks about an action and submits the decision. If the server rejects the decision, prints the error and
 * continues. Returns false to end the watch.
 */
async function decide(shell: Shell, approval: Approval, ask: Ask, signal: AbortSignal): Promise<boolean> {
  const { objectId, requestedBy } = approval
  const agent = requestedBy?.id === undefined ? {} : { agent: requestedBy.id }
  const isApproved = await ask('Approve it? y approves, n rejects, Esc stops without a decision.', signal)
  if (isApproved === undefined) return false
  try {
    await (isApproved ? approveAction : rejectAction)(shell, objectId, agent)
  } catch (error) {
    const isRefusal =
      error instanceof Failure || error instanceof CountersignError || error instanceof ConnectionError
    if (!isRefusal) throw error
    io().stderr.write(`${getErrorMessage(error)}\n`)
  }
  return true
}

function write(text: string): void {
  io().stdout.write(`${text}\n`)
}

/** True for errors that may disappear on a retry. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return error instanceof CountersignError && (error.status >= 500 || error.status === 429)
}
