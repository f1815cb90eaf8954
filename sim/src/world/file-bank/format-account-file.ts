import { formatBai2File } from './bai2.ts'
import { formatCamtFile, type Sheet } from './messages.ts'
import { formatMt940File } from './mt-940.ts'

export type FileFormat = 'CAMT' | 'BAI2' | 'MT940'

/** Formats statements in the bank's format. Advices are always camt.054. */
export function formatAccountFile(format: FileFormat, sheets: readonly Sheet[], name: string): string {
  if (sheets[0]?.kind !== 'STATEMENT' || format === 'CAMT') return formatCamtFile(sheets, name)
  return format === 'BAI2' ? formatBai2File(sheets, name) : formatMt940File(sheets, name)
}
