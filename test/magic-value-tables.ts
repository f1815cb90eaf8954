import type { MagicValueFamily } from '@countersign/contract/sandbox/sandbox'
import type { Static } from 'typebox'
import { listMagicValueFamilies } from '../server/src/kernel/magic-values/magic-value-list.ts'

type Family = Static<typeof MagicValueFamily>

const UMA_DOMAIN = 'sandbox.uma.test'

/** Prints the sandbox's magic values, as returned by `GET /sandbox/magic-values`. */
export function magicValueTables(): string {
  return listMagicValueFamilies(UMA_DOMAIN).map(section).join('\n').trimEnd()
}

function section({ family, appliesTo, places, values, otherwise }: Family): string {
  const key = values[0]!.suffix === undefined ? 'value' : 'suffix'
  const rows = values.map((value) => `| \`${value[key]}\` | ${outcome(value)} | ${value.meaning} |`)
  return [
    `### ${family}\n`,
    `${appliesTo}.`,
    `Given as ${places.join('; or as ')}.\n`,
    `| ${key} | outcome | meaning |`,
    '|---|---|---|',
    ...rows,
    `| any other | ${otherwise} | |\n`,
  ].join('\n')
}

function outcome({ outcome, failureReason, refundStatus, afterSeconds }: Family['values'][number]): string {
  const parts = [
    outcome,
    failureReason,
    refundStatus && `refund ${refundStatus}`,
    afterSeconds && `after ${afterSeconds} s`,
  ]
  return parts.filter(Boolean).join(', ')
}
