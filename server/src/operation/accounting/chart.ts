import {
  CHART_KINDS,
  type ChartAccountType,
  type ChartEntry,
  type ChartKind,
} from '@countersign/contract/books/chart-of-accounts'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { isKeyOf } from '@countersign/contract/core/objects'
import type { Static } from 'typebox'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import type { AccountKind } from './store.ts'

export type Entry = Static<typeof ChartEntry>

/** An account in the operator's chart, or one missing from it, which has a name but no code. */
export interface ChartAccount {
  readonly kind: ChartKind
  /** Empty in the sandbox, whose only rail has no name in the ledger. */
  readonly rail?: string
  readonly type: ChartAccountType
  readonly code?: string
  readonly name: string
}

/** Finds the chart's account for a kind of ledger account. */
export type FindChartAccount = (of: AccountKind) => ChartAccount

/** Finds accounts in a chart, each kind once. */
export function createChart(entries: readonly Entry[]): FindChartAccount {
  const byPlace = new Map(entries.map((entry) => [placeOf(entry), entry]))
  const known = new Map<string, ChartAccount>()
  return (of) => {
    const key = `${of.name} ${of.isOwn} ${of.currency}`
    const before = known.get(key)
    if (before) return before
    const account = chartAccount(byPlace, of)
    known.set(key, account)
    return account
  }
}

function chartAccount(byPlace: ReadonlyMap<string, Entry>, of: AccountKind): ChartAccount {
  const { kind, rail } = kindOf(of)
  const { currency } = of
  const places = [
    ...(rail === undefined
      ? []
      : [
          { kind, rail, currency },
          { kind, rail },
        ]),
    { kind, currency },
    { kind },
  ]
  const entry = places.map((place) => byPlace.get(placeOf(place))).find((one) => one !== undefined)
  const where = rail === undefined ? {} : { rail }
  if (entry) return { kind, ...where, type: entry.type, code: entry.code, name: entry.name }
  const words = `${kind.charAt(0)}${kind.slice(1).toLowerCase()}`
  return { kind, ...where, type: CHART_KINDS[kind], name: rail === undefined ? words : `${words} ${rail}` }
}

function placeOf({ kind, rail, currency }: Pick<Entry, 'kind' | 'rail' | 'currency'>): string {
  return `${kind} ${rail ?? '*'} ${currency ?? '*'}`
}

/** A ledger account's kind: `rail:example-bank` is a RAIL named example-bank. */
function kindOf({ name, isOwn }: AccountKind): { readonly kind: ChartKind; readonly rail?: string } {
  if (name === null) return { kind: isOwn ? 'PLATFORM' : 'CUSTOMERS' }
  const [word = '', rail] = name.split(':')
  const kind = word.toUpperCase()
  if (!isKeyOf(CHART_KINDS, kind)) throw new Error(`The chart has no kind for the ledger account ${name}`)
  return rail === undefined ? { kind } : { kind, rail }
}

/**
 * Error: 400 `INVALID_INPUT` for an entry that duplicates another, names an impossible rail or currency, or
 * uses another account's code or name.
 */
export function checkChart(entries: readonly Entry[]): void {
  const places = new Set<string>()
  const byCode = new Map<string, Entry>()
  const byName = new Map<string, Entry>()
  for (const [at, entry] of entries.entries()) {
    const refuse = (field: string, why: string): never => {
      throw fieldError('INVALID_INPUT', `accounts.${at}.${field}`, why)
    }
    const { kind, rail, currency, code, name, type } = entry
    if (rail !== undefined && kind !== 'RAIL') refuse('rail', `An account of the kind ${kind} has no rail`)
    if (currency !== undefined && !isKnownCurrency(currency))
      refuse('currency', `${currency} is not a currency of this server`)
    if (places.has(placeOf(entry))) refuse('kind', 'An earlier entry has the same kind, rail and currency')
    const sameCode = byCode.get(code) ?? entry
    if (sameCode.name !== name || sameCode.type !== type)
      refuse('code', `An earlier entry has the code ${code} with another name or type`)
    if ((byName.get(name) ?? entry).code !== code)
      refuse('name', `An earlier entry has the name ${name} with another code`)
    places.add(placeOf(entry))
    byCode.set(code, entry)
    byName.set(name, entry)
  }
}

/** Error: 409 `CHART_OF_ACCOUNTS_INCOMPLETE`, which names the kinds of accounts that the chart lacks. */
export function checkComplete(find: FindChartAccount, kinds: readonly AccountKind[]): void {
  const missing = kinds.flatMap((of) => {
    const { code, kind, rail } = find(of)
    return code === undefined
      ? [[kind, rail, of.currency].filter((word) => word !== undefined).join(' ')]
      : []
  })
  if (missing.length > 0)
    throw new ApiError('CHART_OF_ACCOUNTS_INCOMPLETE', { details: { field: 'format', missing } })
}
