import { writeFile } from 'node:fs/promises'
import { present } from '@countersign/contract/core/objects'
import type { Shell } from '../connection/shell.ts'
import { io } from '../terminal/io.ts'
import { readTime } from '../terminal/options.ts'

export interface TransactionOptions {
  readonly from?: string
  readonly to?: string
  readonly account?: string
  readonly customer?: string
}

/** `countersign transactions export`: to a file, or to standard output for `-`. */
export async function saveTransactions(
  { countersign }: Shell,
  file: string,
  { from, to, account, customer }: TransactionOptions,
): Promise<void> {
  const query = present({
    startDate: readTime(from, '--from'),
    endDate: readTime(to, '--to'),
    accountIdentifier: account,
    customerId: customer,
    sortOrder: 'asc' as const,
  })
  const { body } = await countersign.call('transaction_csv', { query })
  if (file === '-') io().stdout.write(body)
  else await writeFile(file, body)
}
