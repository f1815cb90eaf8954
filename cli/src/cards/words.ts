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
    formatRow('card', `${face}, ${card.currency}${valid}`),
    formatRow('your id', card.platformCardId),
    formatRow('cardholder', card.cardholderId),
    ...card.fundingSources.map((id, i) => formatRow(i === 0 ? 'paid from' : '', id)),
    ...(panEmbedUrl === undefined ? [] : [formatRow('number', panEmbedUrl)]),
  ]
}

/** Describes a purchase: merchant, amounts, and outcome. */
export function describePurchase(purchase: CardPurchase): string[] {
  const { merchant, authorizedAmount, pullSummary, refundSummary, settlementSummary } = purchase
  const currency = findCurrency(authorizedAmount.currency.code)
  const formatCount = (count: number) => (count > 1 ? `, ${count} times` : '')
  const describeTotal = (
    { count, totalAmount }: { readonly count: number; readonly totalAmount: bigint },
    totalCurrency = currency,
  ) => `${formatAmount(totalAmount, totalCurrency)}${formatCount(count)}`
  const { pendingCount = 0 } = pullSummary
  const pulledTotal = describeTotal(
    pullSummary,
    pullSummary.currency ? findCurrency(pullSummary.currency.code) : currency,
  )
  return [
    `${purchase.id}  ${purchase.status}`,
    formatRow('merchant', `${merchant.descriptor}, ${purchase.authorizedAt}`),
    formatRow('authorized', `${formatAmount(authorizedAmount.amount, currency)} from ${purchase.accountId}`),
    ...(settlementSummary.count === 0 ? [] : [formatRow('claimed', describeTotal(settlementSummary))]),
    ...(settlementSummary.count === 0
      ? []
      : [formatRow('taken', `${pulledTotal}${pendingCount > 0 ? `, and ${pendingCount} pending` : ''}`)]),
    ...(refundSummary.count === 0 ? [] : [formatRow('returned', describeTotal(refundSummary))]),
  ]
}

function formatRow(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${value}`
}
