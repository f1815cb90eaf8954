import { writeFile } from 'node:fs/promises'
import { STATEMENT_FORMATS, type StatementFormat } from '@countersign/contract/books/statements'
import { keysOf, present } from '@countersign/contract/core/objects'
import { type Answer, CountersignError, toJson } from '@countersign/sdk'
import type { Shell } from '../connection/shell.ts'
import { formatAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { readTime } from '../terminal/options.ts'

export const STATEMENT_OUTPUTS = ['text', ...keysOf(STATEMENT_FORMATS)] as const

export interface StatementOptions {
  readonly from?: string
  readonly to?: string
  readonly format: (typeof STATEMENT_OUTPUTS)[number]
  readonly output?: string
}

type Statement = Exclude<Answer<'statement_get'>['body'], string>
type Line = Statement['lines'][number]

/** `countersign statement`. Throws Failure for an invalid time or a period with too many movements. */
export async function makeStatement(
  shell: Shell,
  accountId: string,
  options: StatementOptions,
): Promise<void> {
  const format = shell.isJson ? 'json' : options.format
  const period = present({ from: readTime(options.from, '--from'), to: readTime(options.to, '--to') })
  const query = { accountId, ...period, format: format === 'text' ? 'json' : format } as const
  const body = await fetchStatement(shell, query)
  const text =
    typeof body === 'string'
      ? body
      : format === 'json'
        ? `${toJson(body)}\n`
        : `${describe(body).join('\n')}\n`
  if (options.output === undefined) io().stdout.write(text)
  else await writeFile(options.output, text)
}

async function fetchStatement({ countersign }: Shell, query: Parameters<typeof callStatement>[1]) {
  try {
    return await callStatement(countersign, query)
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'PERIOD_TOO_LONG') throw error
    const { until, linesMax } = error.details ?? {}
    throw new Failure(
      `The period has more than ${linesMax} movements. Request it in parts: first with --to ${until}, then with the same time as --from.`,
    )
  }
}

async function callStatement(
  countersign: Shell['countersign'],
  query: { accountId: string; from?: string; to?: string; format: StatementFormat },
) {
  return (await countersign.call('statement_get', { query })).body
}

function describe(statement: Statement): string[] {
  const { account, from, to, lines, openingBalance, closingBalance, heldBalance } = statement
  const format = (amount: bigint) => formatAmount(amount, account.currency)
  const rows = lines.map(
    (line) => [line.at, format(line.amount), format(line.balance), describeLine(line)] as const,
  )
  const measureWidest = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length))
  const [amountWidth, balanceWidth] = [
    measureWidest(rows.map(([, amount]) => amount)),
    measureWidest(rows.map(([, , balance]) => balance)),
  ]
  return [
    `${account.id}  ${account.ownerName}`,
    `  from ${from} to ${to}`,
    `  opening balance  ${format(openingBalance)}`,
    ...rows.map(
      ([at, amount, balance, words]) =>
        `  ${at}  ${amount.padStart(amountWidth)}  ${balance.padStart(balanceWidth)}  ${words}`,
    ),
    `  closing balance  ${format(closingBalance)}`,
    ...(heldBalance > 0n ? [`  of it held       ${format(heldBalance)}`] : []),
  ]
}

function describeLine({ kind, counterparty = {}, reference }: Line): string {
  const { name, umaAddress, accountId } = counterparty
  return [kind, name ?? umaAddress ?? accountId, reference].filter((part) => part !== undefined).join('  ')
}
