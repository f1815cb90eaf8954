import type { BankRecord } from './camt.ts'
import { readTwice } from './read-twice.ts'
import { all, bytesOf } from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

type Reader = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<BankRecord>

/**
 * Creates functions that read whole files in a format, for tests: `read` returns the records, and `refusal`
 * the message of the error that refuses the file.
 */
export function readingWith(reader: Reader) {
  const read = (text: string | Uint8Array) => all(readTwice(() => bytesOf(text), reader))
  const refusal = (text: string) =>
    read(text).then(
      () => 'is read',
      (error: unknown) => (error instanceof UnreadableFile ? error.message : Promise.reject(error)),
    )
  return { read, refusal }
}

export const entriesOf = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'entry' ? [one.entry] : []))
export const transactionsOf = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'transaction' ? [one.transaction] : []))
export const pickStatements = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'statement' ? [one] : []))
export const pickUnread = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'unread' ? [one] : []))
