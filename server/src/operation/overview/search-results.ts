import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { SearchResult } from '@countersign/contract/operation/search'
import type { Static } from 'typebox'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { describeShortly, getHolderName } from '../../kernel/accounts/external-account-names.ts'
import { getCustomerName } from '../../people/customers/customers.ts'
import type { FoundKind, FoundRows } from './search-store.ts'

export type SearchHit = Static<typeof SearchResult>

const DOTS = '••••'

/**
 * Describes a record of each kind so that people can recognize it. Undefined if its page can no longer be
 * opened.
 */
const VIEWS: { readonly [Kind in FoundKind]: (row: FoundRows[Kind]) => Omit<SearchHit, 'id'> | undefined } = {
  Customer: (row) =>
    row.deleted_at === null
      ? {
          type: 'CUSTOMER',
          title: getCustomerName(row),
          detail: row.email ?? row.uma_address,
        }
      : undefined,
  Transaction: (row) => ({
    type: 'TRANSACTION',
    title:
      formatAmount(row.sent_amount, row.sent_currency) ??
      formatAmount(row.received_amount, row.received_currency) ??
      row.type,
    detail: `${row.type} ${row.state}, ${row.reference}`,
  }),
  Quote: (row) => ({
    type: 'QUOTE',
    title: `${formatAmount(row.sending_amount, row.sending_currency)} to ${formatAmount(row.receiving_amount, row.receiving_currency)}`,
    detail: row.state,
  }),
  Card: (row) => ({
    type: 'CARD',
    title: [row.brand ?? 'Card', ...(row.last4 === null ? [] : [DOTS, row.last4])].join(' '),
    detail: row.state,
  }),
  Agent: (row) =>
    row.deleted_at === null
      ? present({ type: 'AGENT' as const, title: row.name, detail: row.is_paused ? 'Paused' : undefined })
      : undefined,
  ExternalAccount: (row) =>
    row.deleted_at === null
      ? present({
          type: 'EXTERNAL_ACCOUNT' as const,
          title: describeShortly(row),
          detail: getHolderName(row),
        })
      : undefined,
  Mandate: (row) => ({
    type: 'MANDATE',
    title: `Mandate ${row.reference}`,
    detail: `${row.debtor_name}, ${DOTS} ${row.debtor_account.slice(-4)}`,
  }),
  InternalAccount: (row) => ({
    type: 'INTERNAL_ACCOUNT',
    title: `${row.type} ${row.currency}`,
    detail: row.status,
  }),
  Event: (row) => ({ type: 'EVENT', title: row.type, detail: row.object_id }),
}

/** A record as a search result. */
export function toSearchHit<Kind extends FoundKind>(kind: Kind, row: FoundRows[Kind]): SearchHit | undefined {
  const view = VIEWS[kind](row)
  return view && { id: row.id, ...view }
}

function formatAmount(units: bigint | null, currency: KnownCurrency | null): string | undefined {
  return units === null || currency === null
    ? undefined
    : `${formatDecimal(units, CURRENCIES[currency].decimals)} ${currency}`
}
