import type { BankRecord } from './camt.ts'
import { readTwice } from './read-twice.ts'
import { all, bytesOf } from './samples.testing.ts'
import { UnreadableFile } from './unreadable-file.ts'

type Reader = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<BankRecord>

/**
 * Reads whole files in a format, for tests. Returns their records, or the message of the error that rejects a
 * file.
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
export const statementsOf = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'statement' ? [one] : []))
export const unreadOf = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'unread' ? [one] : []))
