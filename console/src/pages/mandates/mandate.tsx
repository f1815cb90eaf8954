import type { ExternalAccount as ExternalAccountSchema } from '@countersign/contract/accounts/external-accounts'
import type { ItemOf } from '@countersign/sdk'
import type { Static } from 'typebox'
import type { Column } from '../../ui/column.ts'
import { Status } from '../../ui/status.tsx'

export type Mandate = ItemOf<'mandate_list'>
export type ExternalAccount = Static<typeof ExternalAccountSchema>

/** True if the account can be debited through SEPA or Bacs. */
export function isDebitable({ currency, accountInfo }: ExternalAccount): boolean {
  return currency === 'EUR' ? 'iban' in accountInfo : currency === 'GBP' && 'sortCode' in accountInfo
}

type Numbers = Pick<Mandate['debtor'], 'iban' | 'sortCode' | 'accountNumber'>

/** Returns the label and value of the account's number at its bank. */
export function getAccountNumber({
  iban,
  sortCode = '',
  accountNumber = '',
}: Numbers): readonly [string, string] {
  return iban === undefined
    ? ['Sort code and account', `${sortCode} ${accountNumber}`.trim()]
    : ['IBAN', iban]
}

/** The account holder and number, as they appear in direct debits. */
export function formatDebtor({ debtor }: Pick<Mandate, 'debtor'>): string {
  return `${debtor.name}, ${getAccountNumber(debtor)[1]}`
}

const formatDay = (value: string | undefined) => <span className="figures">{value ?? '–'}</span>

/** Columns for mandates that do not depend on the account. */
export const MANDATE_COLUMNS: readonly Column<Mandate>[] = [
  {
    id: 'reference',
    header: 'Reference',
    width: 'minmax(8rem, 2fr)',
    cell: ({ reference }) => (
      <span className="clipped" title={reference}>
        {reference}
      </span>
    ),
  },
  { id: 'status', header: 'Status', width: '6rem', cell: ({ status }) => <Status state={status} /> },
  {
    id: 'debtor',
    header: 'Account',
    width: 'minmax(8rem, 3fr)',
    priority: 2,
    cell: (mandate) => (
      <span className="clipped" title={formatDebtor(mandate)}>
        {formatDebtor(mandate)}
      </span>
    ),
  },
  {
    id: 'collected',
    header: 'Last collection',
    width: '7.5rem',
    isRightAligned: true,
    cell: ({ lastCollectedOn }) => formatDay(lastCollectedOn),
  },
  {
    id: 'signed',
    header: 'Signed',
    width: '6.5rem',
    isRightAligned: true,
    priority: 3,
    cell: ({ signedOn }) => formatDay(signedOn),
  },
]
