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

/** An account of the operator's chart. A ledger account missing from the chart gets a name, but no code. */
export interface ChartAccount {
  readonly kind: ChartKind
  /** Omitted in the sandbox, whose only rail has no name in the ledger. */
  readonly rail?: string
  readonly type: ChartAccountType
  readonly code?: string
  readonly name: string
}

/** Finds the account in the chart for a kind of ledger account. */
export type FindChartAccount = (of: AccountKind) => ChartAccount

/** Creates a lookup of a chart's accounts that caches its results. */
export function createChart(entries: readonly Entry[]): FindChartAccount {
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]))
  const cache = new Map<string, ChartAccount>()
  return (of) => {
    const key = `${of.name} ${of.isOwn} ${of.currency}`
    const cached = cache.get(key)
    if (cached) return cached
    const account = chartAccount(byKey, of)
    cache.set(key, account)
    return account
  }
}

function chartAccount(byKey: ReadonlyMap<string, Entry>, of: AccountKind): ChartAccount {
  const { kind, rail } = kindOf(of)
  const { currency } = of
  const candidates = [
    ...(rail === undefined
      ? []
      : [
          { kind, rail, currency },
          { kind, rail },
        ]),
    { kind, currency },
    { kind },
  ]
  const entry = candidates.map((candidate) => byKey.get(keyOf(candidate))).find((one) => one !== undefined)
  const where = rail === undefined ? {} : { rail }
  if (entry) return { kind, ...where, type: entry.type, code: entry.code, name: entry.name }
  const label = `${kind.charAt(0)}${kind.slice(1).toLowerCase()}`
  return { kind, ...where, type: CHART_KINDS[kind], name: rail === undefined ? label : `${label} ${rail}` }
}

function keyOf({ kind, rail, currency }: Pick<Entry, 'kind' | 'rail' | 'currency'>): string {
  return `${kind} ${rail ?? '*'} ${currency ?? '*'}`
}

/** Splits the name of a ledger account: `rail:example-bank` is of kind RAIL, with the rail example-bank. */
function kindOf({ name, isOwn }: AccountKind): { readonly kind: ChartKind; readonly rail?: string } {
  if (name === null) return { kind: isOwn ? 'PLATFORM' : 'CUSTOMERS' }
  const [word = '', rail] = name.split(':')
  const kind = word.toUpperCase()
  if (!isKeyOf(CHART_KINDS, kind)) throw new Error(`The chart has no kind for the ledger account ${name}`)
  return rail === undefined ? { kind } : { kind, rail }
}

/**
 * Throws 400 `INVALID_INPUT` if an entry duplicates another, has an invalid rail or currency, or reuses the
 * code or name of a different account.
 */
export function checkChart(entries: readonly Entry[]): void {
  const candidates = new Set<string>()
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
    if (candidates.has(keyOf(entry))) refuse('kind', 'An earlier entry has the same kind, rail and currency')
    const sameCode = byCode.get(code) ?? entry
    if (sameCode.name !== name || sameCode.type !== type)
      refuse('code', `An earlier entry has the code ${code} with another name or type`)
    if ((byName.get(name) ?? entry).code !== code)
      refuse('name', `An earlier entry has the name ${name} with another code`)
    candidates.add(keyOf(entry))
    byCode.set(code, entry)
    byName.set(name, entry)
  }
}

/** Throws 409 `CHART_OF_ACCOUNTS_INCOMPLETE`, listing the kinds of accounts missing from the chart. */
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
