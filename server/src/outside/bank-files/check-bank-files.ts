import { getErrorSentence } from '../../base/formats/thrown-errors.ts'
import { type App, addSeconds, newRequestId } from '../../kernel/operation/app.ts'
import { createRailOp } from '../../money/rails/rail-worker.ts'
import { toWorkerId } from './ids.ts'
import { listWithoutMarker } from './inbox-markers.ts'
import { type BankFilesRail, isBankFilesRail } from './rail.ts'
import { selectWorker } from './store.ts'
import { type BankFolder, toPartName } from './stores/bank-folder.ts'

/** The status of a bank file rail: facts as name and value, and problems as sentences. */
export interface BankFilesReport {
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly faults: readonly string[]
}

/**
 * The allowed delay of an inbox check: a worker pauses after a failure, and keeps its claim for two minutes
 * after a crash.
 */
const LATE_SECONDS = 300
const NAMES_MAX = 20
const FOLDERS = ['outbox', 'inbox', 'done', 'refused'] as const

/**
 * Logs in, lists each folder, writes and removes a file there, and checks when the worker last ran. Throws if
 * it cannot log in.
 */
export async function checkBankFiles(app: App, rail: object, platformId: string): Promise<BankFilesReport> {
  if (!isBankFilesRail(rail)) throw new Error('This rail does not exchange files with a bank.')
  const faults: string[] = []
  const facts: (readonly [string, string])[] = []
  const share = rail.openFolder()
  try {
    for (const purpose of FOLDERS) {
      const folder = rail.entry.place[purpose]
      const fault = await findFolderFault(app, share, folder)
      facts.push([purpose, fault ?? `${folder}: files can be listed, written and removed`])
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
    faults.push(`pgp.${getErrorSentence(error)}`)
  }
  const worker = await checkWorker(app, rail, platformId)
  facts.push(['worker', worker.text])
  if (!worker.isHealthy) faults.push(worker.text)
  return { facts, faults }
}

/** Tries the worker's operations in a folder, with a file name that banks ignore. */
async function findFolderFault(app: App, share: BankFolder, folder: string): Promise<string | undefined> {
  try {
    await share.list(folder)
  } catch (error) {
    return `The folder ${folder} cannot be listed: ${getErrorSentence(error)}`
  }
  const path = { folder, name: toPartName('countersign-check', newRequestId(app.clock())) }
  try {
    await share.write(path, writeCheckText())
    await share.remove(path)
    return undefined
  } catch (error) {
    return `The folder ${folder} accepts no files: ${getErrorSentence(error)}`
  }
}

async function* writeCheckText(): AsyncGenerator<string> {
  yield 'Countersign wrote this file to check the folder. You can delete it.\n'
}

async function checkWorker(
  app: App,
  rail: BankFilesRail,
  platformId: string,
): Promise<{ readonly text: string; readonly isHealthy: boolean }> {
  const op = await createRailOp({ app, rail, platformId })
  const row = await selectWorker(op, toWorkerId(rail.name))
  if (!row) return { text: 'No server has processed this rail yet.', isHealthy: true }
  const checkedAt = row.looked_at > row.created_at ? row.looked_at : row.created_at
  const isHealthy = addSeconds(checkedAt, rail.inboxEverySeconds + LATE_SECONDS) >= op.now
  const text = isHealthy
    ? `The inbox was last checked at ${checkedAt.toISOString()}.`
    : `The worker of this rail has stopped: the inbox was last checked at ${checkedAt.toISOString()}. See "failed to process the bank files of a rail" in the log.`
  return { text, isHealthy }
}
