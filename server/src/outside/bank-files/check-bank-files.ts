import { messageOf } from '../../base/formats/thrown-errors.ts'
import { type App, newRequestId, plusSeconds } from '../../kernel/operation/app.ts'
import { opOf } from '../../money/rails/rail-worker.ts'
import { workerIdOf } from './ids.ts'
import { listWithoutMarker } from './inbox-markers.ts'
import { type BankFilesRail, isBankFilesRail } from './rail.ts'
import { selectWorker } from './store.ts'
import { type BankFolder, partName } from './stores/bank-folder.ts'

/** A bank file rail's status: name and value pairs, and its problems as sentences. */
export interface BankFilesReport {
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly faults: readonly string[]
}

/**
 * The maximum delay of an inbox check: a worker pauses after a failure, and a crashed one keeps its claim for
 * two minutes.
 */
const LATE_SECONDS = 300
const NAMES_MAX = 20
const FOLDERS = ['outbox', 'inbox', 'done', 'refused'] as const

/**
 * Logs in, lists each folder, writes and removes a file there, and checks when the worker last ran. Throws if
 * it cannot log in.
 */
export async function checkBankFiles(app: App, rail: object, platformId: string): Promise<BankFilesReport> {
  if (!isBankFilesRail(rail)) throw new Error('This rail has no files')
  const faults: string[] = []
  const facts: (readonly [string, string])[] = []
  const share = rail.openFolder()
  try {
    for (const which of FOLDERS) {
      const folder = rail.entry.place[which]
      const fault = await faultOfFolder(app, share, folder)
      facts.push([which, fault ?? `${folder}: listed, written and removed`])
      if (fault !== undefined) faults.push(fault)
    }
    const unmarked = listWithoutMarker(rail, await share.list(rail.entry.place.inbox))
    if (unmarked.length > 0) facts.push(['without marker', unmarked.slice(0, NAMES_MAX).join(', ')])
  } finally {
    await share.close()
  }
  try {
    for (const line of (await rail.pgp?.describe(app.clock())) ?? []) facts.push(['key', line])
  } catch (error) {
    faults.push(`pgp.${messageOf(error)}`)
  }
  const worker = await lastLook(app, rail, platformId)
  facts.push(['worker', worker.says])
  if (!worker.isWell) faults.push(worker.says)
  return { facts, faults }
}

/** Tries the worker's operations in a folder, with a file name that banks ignore. */
async function faultOfFolder(app: App, share: BankFolder, folder: string): Promise<string | undefined> {
  try {
    await share.list(folder)
  } catch (error) {
    return `The folder ${folder} cannot be listed: ${messageOf(error)}.`
  }
  const path = { folder, name: partName('countersign-check', newRequestId(app.clock())) }
  try {
    await share.write(path, onePiece())
    await share.remove(path)
    return undefined
  } catch (error) {
    return `The folder ${folder} accepts no files: ${messageOf(error)}.`
  }
}

async function* onePiece(): AsyncGenerator<string> {
  yield 'A check of this folder. It may be removed.\n'
}

async function lastLook(
  app: App,
  rail: BankFilesRail,
  platformId: string,
): Promise<{ readonly says: string; readonly isWell: boolean }> {
  const op = await opOf({ app, rail, platformId })
  const row = await selectWorker(op, workerIdOf(rail.name))
  if (!row) return { says: 'No server has worked on this rail yet.', isWell: true }
  const looked = row.looked_at > row.created_at ? row.looked_at : row.created_at
  const isWell = plusSeconds(looked, rail.inboxEverySeconds + LATE_SECONDS) >= op.now
  const says = isWell
    ? `looked into the inbox at ${looked.toISOString()}`
    : `The worker of this rail has stopped: it looked into the inbox last at ${looked.toISOString()}. See "bank files of a rail have stopped" in the log.`
  return { says, isWell }
}
