import { DECLINE_REASONS } from '@countersign/contract/card-processor'
import { ERRORS } from '@countersign/contract/errors'
import { markdownTable } from './markdown-table.ts'

/** Why a card does not pay, in the order in which it is asked. */
export function cardDeclineTable(): string {
  return markdownTable(
    ['`code`', 'when'],
    DECLINE_REASONS.map((code) => [`\`${code}\``, ERRORS[code].message.replace(/^Declined: /, '')]),
  )
}
