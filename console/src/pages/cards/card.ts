import type { Card as CardSchema } from '@countersign/contract/cards/cards'
import type { Static } from 'typebox'
import { formatConstant } from '../../ui/status-meaning.ts'

/** Names a card as its holder knows it: by brand and last four digits. */
export function formatCardName({ brand, last4 }: Static<typeof CardSchema>): string {
  const name = brand ? formatConstant(brand) : 'Card'
  return last4 === undefined ? `${name}, not issued yet` : `${name} •••• ${last4}`
}
