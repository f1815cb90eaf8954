import { DECLINE_REASONS } from '@countersign/contract/cards/card-processor'
import { OVER_CLAIM_PERCENT_DEFAULT, OVER_CLAIM_RULES } from '@countersign/contract/cards/over-claims'
import { ERRORS } from '@countersign/contract/core/errors'
import { formatMarkdownTable } from './markdown-table.ts'

/** The decline reasons, in the order in which they are checked. */
export function formatCardDeclineTable(): string {
  return formatMarkdownTable(
    ['`code`', 'when'],
    DECLINE_REASONS.map((code) => [`\`${code}\``, ERRORS[code].message.replace(/^Declined: /, '')]),
  )
}

/** The percentage by which a merchant may exceed its authorization, by category. */
export function formatOverClaimTable(): string {
  return formatMarkdownTable(
    ['merchant', '`mcc`', 'claims at most'],
    [
      ...OVER_CLAIM_RULES.map(({ from, to, what, percent, units }) => [
        what,
        from === to ? from : `${from} to ${to}`,
        units === undefined ? `${percent} % more` : `${units} whole units, or the authorized amount`,
      ]),
      ['any other or unknown', '', `${OVER_CLAIM_PERCENT_DEFAULT} % more, or your setting`],
    ],
  )
}
