import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'

/** The id of a rail's worker state. */
export function workerIdOf(rail: string): string {
  return idOfKind('BankFile', uuidOfText(`BankFileWorker ${rail}`))
}

/** The id of a bank's file, derived from its content: a repeated file has the same id, whatever its name. */
export function inboxFileIdOf(rail: string, digest: string): string {
  return idOfKind('BankFile', uuidOfText(`BankInbox ${rail} ${digest}`))
}
