import type { ExternalAccount as ExternalAccountSchema } from '@countersign/contract/accounts/external-accounts'
import type { ItemOf } from '@countersign/sdk'
import type { Static } from 'typebox'
import type { Column } from '../../ui/column.ts'
import { Status } from '../../ui/status.tsx'

export type Mandate = ItemOf<'mandate_list'>
export type ExternalAccount = Static<typeof ExternalAccountSchema>

/** True for an account that SEPA or Bacs debits. */
export function isDebitable({ currency, accountInfo }: ExternalAccount): boolean {
  return currency === 'EUR' ? 'iban' in accountInfo : currency === 'GBP' && 'sortCode' in accountInfo
}

type Numbers = Pick<Mandate['debtor'], 'iban' | 'sortCode' | 'accountNumber'>

/** The number of the account at its bank, by label and value. */
export function numberOf({ iban, sortCode = '', accountNumber = '' }: Numbers): readonly [string, string] {
  return iban === undefined
    ? ['Sort code and account', `${sortCode} ${accountNumber}`.trim()]
    : ['IBAN', iban]
}

/** The holder and the account, as direct debits state them. */
export function debtorText({ debtor }: Pick<Mandate, 'debtor'>): string {
  return `${debtor.name}, ${numberOf(debtor)[1]}`
}

const day = (value: string | undefined) => <span className="figures">{value ?? '–'}</span>

/** The columns of mandates, of whatever account. */
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
  { id: 'status', header: 'Status', width: '6rem', cell: ({ status }) => <Status of={status} /> },
  {
    id: 'debtor',
    header: 'Account',
    width: 'minmax(8rem, 3fr)',
    priority: 2,
    cell: (mandate) => (
      <span className="clipped" title={debtorText(mandate)}>
        {debtorText(mandate)}
      </span>
    ),
  },
  {
    id: 'collected',
    header: 'Last collection',
    width: '7.5rem',
    isRight: true,
    cell: ({ lastCollectedOn }) => day(lastCollectedOn),
  },
  {
    id: 'signed',
    header: 'Signed',
    width: '6.5rem',
    isRight: true,
    priority: 3,
    cell: ({ signedOn }) => day(signedOn),
  },
]
