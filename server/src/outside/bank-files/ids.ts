import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'

/** The id of the desk of a rail. */
export function deskIdOf(rail: string): string {
  return idOfKind('BankFile', uuidOfText(`BankDesk ${rail}`))
}

/** The id of a bank's file, by its content: under whatever name it comes again, it is the same. */
export function inboxFileIdOf(rail: string, digest: string): string {
  return idOfKind('BankFile', uuidOfText(`BankInbox ${rail} ${digest}`))
}
