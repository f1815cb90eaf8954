import type { ChartAccountType } from '@countersign/contract/books/chart-of-accounts'
import { CURRENCIES } from '@countersign/contract/core/currencies'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import type { ChartAccount } from './chart.ts'
import type { Posted, Side, Writer } from './writer.ts'

/** The first part of each account name, from which both programs derive the type of the account. */
const ROOTS: Readonly<Record<ChartAccountType, string>> = {
  ASSET: 'Assets',
  LIABILITY: 'Liabilities',
  EQUITY: 'Equity',
  INCOME: 'Income',
  EXPENSE: 'Expenses',
}

/** Writes the journal for hledger. Ledger can read the file too. */
export function openHledger(): Writer {
  return {
    head: '; The journal of Countersign. Times are UTC.\ndecimal-mark .\n\n',
    write: (posted) => posted.map(formatHledgerEntry).join(''),
    endDay: () => '',
  }
}

function formatHledgerEntry(posted: Posted): string {
  const { id, at, debit, credit, cause, causeId } = posted
  return (
    `${toUtcDay(at)} * ${cause}\n    ; transfer: ${id}, cause: ${causeId}\n` +
    `    ${toHledgerName(debit.account)}  ${formatAmount(posted, '')}  ; account: ${debit.accountId}\n` +
    `    ${toHledgerName(credit.account)}  ${formatAmount(posted, '-')}  ; account: ${credit.accountId}\n\n`
  )
}

/**
 * For example `Assets:1010 Bank EUR`. Accounts missing from the chart go under `Ledger`, so that their names
 * cannot collide with others.
 */
function toHledgerName({ type, code, name }: ChartAccount): string {
  return `${ROOTS[type]}:${code === undefined ? `Ledger:${name}` : `${code} ${name}`}`
}

/** Writes the journal for beancount. Each account is opened on the day of its first transfer. */
export function openBeancount(): Writer {
  const opened = new Set<string>()
  const openAccounts = ({ at, debit, credit }: Posted) =>
    [debit, credit].map(({ account }) => {
      const name = toBeancountName(account)
      if (opened.has(name)) return ''
      opened.add(name)
      return `${toUtcDay(at)} open ${name}\n`
    })
  return {
    head: '; The journal of Countersign. Times are UTC.\n\n',
    write: (posted) =>
      posted.map((transfer) => openAccounts(transfer).join('') + formatBeancountEntry(transfer)).join(''),
    endDay: () => '',
  }
}

function formatBeancountEntry(posted: Posted): string {
  const { id, at, debit, credit, cause, causeId } = posted
  const line = ({ account, accountId }: Side, sign: string) =>
    `  ${toBeancountName(account)}  ${formatAmount(posted, sign)}\n    account: "${accountId}"\n`
  return (
    `${toUtcDay(at)} * "${cause}"\n  transfer: "${id}"\n  cause: "${causeId}"\n` +
    `${line(debit, '')}${line(credit, '-')}\n`
  )
}

/**
 * For example `Assets:1010-Bank-EUR`: each part begins with a capital letter or digit and contains letters,
 * digits and dashes. Codes contain no dash, so different codes give different names.
 */
function toBeancountName({ type, code, name }: ChartAccount): string {
  const words = name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/-+$/g, '')
  return `${ROOTS[type]}:${code === undefined ? `Ledger:${words}` : `${code}-${words}`}`
}

function formatAmount({ amount, currency }: Posted, sign: string): string {
  return `${sign}${formatDecimal(amount, CURRENCIES[currency].decimals)} ${currency}`
}
