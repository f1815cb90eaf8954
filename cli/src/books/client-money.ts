import type { Answer, ItemOf } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { formatAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import { type Column, printRecords } from '../terminal/records.ts'

type Report = ItemOf<'client_money_report_list'>

const COLUMNS: readonly Column<Report>[] = [
  ['DATE', ({ date }) => date],
  ['ID', ({ id }) => id],
  [
    'DIFFERENCES',
    ({ currencies }) =>
      currencies.map(({ currency, difference }) => formatAmount(difference, currency)).join(', '),
  ],
]

/** `countersign client-money list`: lists the latest reports. */
export async function listReports({ countersign, isJson }: Shell): Promise<void> {
  const { data, hasMore } = await countersign.clientMoneyReports.list({ limit: 31 })
  printRecords({ data, hasMore }, COLUMNS, { isJson, none: 'No reports yet.' })
}

/** `countersign client-money get`. */
export async function showReport(shell: Shell, id: string): Promise<void> {
  const report = await shell.countersign.clientMoneyReports.get(id)
  printResult(shell, report, describe(report))
}

/** `countersign client-money create`: creates a report for a past day. */
export async function createReport(shell: Shell, date: string): Promise<void> {
  const report = await shell.countersign.clientMoneyReports.create({ date })
  printResult(shell, report, describe(report))
}

/** `countersign client-money verify`. Throws Failure if the report or the ledger has been changed. */
export async function verifyReport(shell: Shell, id: string): Promise<void> {
  const verification = await shell.countersign.clientMoneyReports.verify(id)
  printResult(shell, verification, describeVerification(verification))
  if (!verification.isSigned || !verification.isLedgerUnchanged)
    throw new Failure(`${id} failed verification.`)
}

function describeVerification({
  isSigned,
  isLedgerUnchanged,
}: Answer<'client_money_report_verify'>['body']): string[] {
  return [
    isSigned
      ? 'The signature is valid.'
      : 'WRONG: the record differs from the payload that the server signed.',
    isLedgerUnchanged
      ? 'The ledger balances match.'
      : 'WRONG: the ledger balances at the end of that day are different.',
  ]
}

function describe({ id, date, currencies }: Report): string[] {
  return [
    `${id}  ${date}`,
    ...currencies.flatMap(({ currency, owed, held, difference, reasons, rails }) => [
      `${currency.code}`,
      `  owed to customers  ${formatAmount(owed, currency)}`,
      `  held by rails      ${formatAmount(held, currency)}`,
      `  difference         ${formatAmount(difference, currency)}`,
      ...reasons.map(
        ({ reason, amount, rail }) =>
          `    ${reason}  ${formatAmount(amount, currency)}${rail === undefined ? '' : `  ${rail}`}`,
      ),
      ...rails.map(
        ({ rail, held: heldByRail, statement }) =>
          `  ${rail}  ${formatAmount(heldByRail, currency)}  ${statement === undefined ? 'no statement' : `statement of ${statement.date}`}`,
      ),
    ]),
  ]
}
