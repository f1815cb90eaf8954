import { readFile, writeFile } from 'node:fs/promises'
import type { JournalFormat } from '@countersign/contract/books/journal'
import { present } from '@countersign/contract/core/objects'
import type { Answer, Countersign } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { readTime } from '../terminal/options.ts'
import { getErrorSentence } from '../terminal/thrown.ts'

export interface JournalOptions {
  readonly from: string
  readonly to: string
  readonly format: JournalFormat
  readonly currency?: string
  readonly output?: string
}

/** `countersign ledger journal`: writes the journal to a file or to standard output. */
export async function writeJournal({ countersign }: Shell, options: JournalOptions): Promise<void> {
  const { format, currency, output } = options
  const period = { from: readTime(options.from, '--from'), to: readTime(options.to, '--to') }
  const query = { ...period, format, ...present({ currency }) }
  const { body } = await countersign.call('journal_get', { query })
  if (output === undefined) io().stdout.write(body)
  else await writeFile(output, body)
}

type Chart = Answer<'chart_of_accounts_get'>['body']
type NewChart = Parameters<Countersign['chartOfAccounts']['replace']>[0]

/**
 * `countersign ledger chart`: shows the chart of accounts, or replaces it with the JSON in `file`. Throws
 * Failure.
 */
export async function showChart(shell: Shell, file: string | undefined): Promise<void> {
  const { chartOfAccounts } = shell.countersign
  const chart =
    file === undefined ? await chartOfAccounts.get() : await chartOfAccounts.replace(await readChart(file))
  printResult(shell, chart, describe(chart))
}

async function readChart(file: string): Promise<NewChart> {
  try {
    const { accounts, dateFormat, taxRate }: NewChart = JSON.parse(await readFile(file, 'utf8'))
    return { accounts, ...present({ dateFormat, taxRate }) }
  } catch (error) {
    throw new Failure(`${file} is not a valid chart of accounts: ${getErrorSentence(error)}`)
  }
}

function describe({ accounts, dateFormat, taxRate }: Chart): string[] {
  if (accounts.length === 0) return ['The chart of accounts is empty.']
  return [
    ...accounts.map(({ kind, rail, currency, code, name, type }) =>
      [[kind, rail, currency].filter((word) => word !== undefined).join(' '), code, name, type].join('  '),
    ),
    ...(dateFormat === undefined ? [] : [`dates: ${dateFormat}`]),
    ...(taxRate === undefined ? [] : [`tax rate: ${taxRate}`]),
  ]
}
