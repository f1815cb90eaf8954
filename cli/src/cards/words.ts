import type { CardPurchase, CardRecord } from '@countersign/sdk'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'

const LABEL_WIDTH = 15

/** Describes a card, one property per line. */
export function describeCard(card: CardRecord): string[] {
  const { brand, last4, expMonth, expYear, panEmbedUrl, state, stateReason } = card
  const face = last4 === undefined ? 'no number yet' : `${brand} ending ${last4}`
  const valid = expMonth === undefined ? '' : `, valid until ${String(expMonth).padStart(2, '0')}/${expYear}`
  return [
    `${card.id}  ${state}${stateReason === null ? '' : ` (${stateReason})`}`,
    row('card', `${face}, ${card.currency}${valid}`),
    row('your id', card.platformCardId),
    row('cardholder', card.cardholderId),
    ...card.fundingSources.map((id, i) => row(i === 0 ? 'paid from' : '', id)),
    ...(panEmbedUrl === undefined ? [] : [row('number', panEmbedUrl)]),
  ]
}

/** Describes a purchase: merchant, amounts, and outcome. */
export function describePurchase(purchase: CardPurchase): string[] {
  const { merchant, authorizedAmount, pullSummary, refundSummary, settlementSummary } = purchase
  const currency = findCurrency(authorizedAmount.currency.code)
  const times = (count: number) => (count > 1 ? `, ${count} times` : '')
  const describeTotal = (
    { count, totalAmount }: { readonly count: number; readonly totalAmount: bigint },
    totalCurrency = currency,
  ) => `${formatAmount(totalAmount, totalCurrency)}${times(count)}`
  const { pendingCount = 0 } = pullSummary
  const pulledTotal = describeTotal(
    pullSummary,
    pullSummary.currency ? findCurrency(pullSummary.currency.code) : currency,
  )
  return [
    `${purchase.id}  ${purchase.status}`,
    row('merchant', `${merchant.descriptor}, ${purchase.authorizedAt}`),
    row('authorized', `${formatAmount(authorizedAmount.amount, currency)} from ${purchase.accountId}`),
    ...(settlementSummary.count === 0 ? [] : [row('claimed', describeTotal(settlementSummary))]),
    ...(settlementSummary.count === 0
      ? []
      : [row('taken', `${pulledTotal}${pendingCount > 0 ? `, and ${pendingCount} pending` : ''}`)]),
    ...(refundSummary.count === 0 ? [] : [row('returned', describeTotal(refundSummary))]),
  ]
}

function row(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${value}`
}
