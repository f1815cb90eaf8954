import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { listOwnRails } from '../../kernel/ports/own-rails.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import type { WatchConfig } from './platform-config.ts'

/** Throws 400 naming the field for a rail of another platform, an unknown currency, or a repeated mark. */
export async function checkWatches(op: Op, change: Partial<WatchConfig> | undefined): Promise<void> {
  const { railMarks = [], positionMarks = [] } = change ?? {}
  const rails = railMarks.length > 0 ? await listRailNames(op) : []
  for (const [index, { rail }] of railMarks.entries())
    if (!rails.includes(rail))
      throw createFieldError(
        'INVALID_INPUT',
        `watchConfig.railMarks.${index}.rail`,
        `The platform has no rail named ${rail}. GET /overview lists its rails.`,
      )
  checkMarks(
    'watchConfig.railMarks',
    railMarks.map(({ rail, currencyCode }) => ({ currencyCode, name: `${currencyCode} on ${rail}` })),
  )
  checkMarks(
    'watchConfig.positionMarks',
    positionMarks.map(({ currencyCode }) => ({ currencyCode, name: currencyCode })),
  )
}

function checkMarks(
  field: string,
  marks: readonly { readonly currencyCode: string; readonly name: string }[],
): void {
  const seen = new Set<string>()
  for (const [index, { currencyCode, name }] of marks.entries()) {
    const fieldName = `${field}.${index}.currencyCode`
    if (!isKnownCurrency(currencyCode))
      throw createFieldError('INVALID_CURRENCY', fieldName, `${currencyCode} is not a supported currency.`)
    if (seen.has(name)) throw createFieldError('INVALID_INPUT', fieldName, `${name} is listed twice.`)
    seen.add(name)
  }
}

/** Lists the names of the platform's rails and of the simulator. */
async function listRailNames({ rails, platform }: Op): Promise<string[]> {
  const owned = await listOwnRails(rails, platform.id)
  const names = owned.flatMap(({ name }) => name ?? [])
  return rails.find(null) ? [...names, SANDBOX_RAIL] : names
}
