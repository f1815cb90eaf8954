import { buildId, deriveUuid } from '../../storage/engine/ids.ts'

/** The id of a rail's worker state. */
export function toWorkerId(rail: string): string {
  return buildId('BankFile', deriveUuid(`BankFileWorker ${rail}`))
}

/** The id of a bank's file, derived from its content. A repeated file has the same id under any name. */
export function toInboxFileId(rail: string, digest: string): string {
  return buildId('BankFile', deriveUuid(`BankInbox ${rail} ${digest}`))
}
