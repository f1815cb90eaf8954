import type { StatementLineKind } from '@countersign/contract/books/statements'

/** The label of each kind of line. */
export const KIND_WORDS: Readonly<Record<StatementLineKind, string>> = {
  DEPOSIT: 'Deposit',
  PAYMENT_IN: 'Payment received',
  PAYMENT_OUT: 'Payment sent',
  FEE: 'Fee',
  REFUND: 'Payment returned',
  FEE_REFUND: 'Fee returned',
  CARD_PURCHASE: 'Card purchase',
  CARD_REFUND: 'Card refund',
  OTHER: 'Other movement',
}
