import {
  CHART_KINDS,
  type ChartAccountType,
  type ChartEntry,
  type ChartKind,
} from '@countersign/contract/books/chart-of-accounts'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { isKeyOf } from '@countersign/contract/core/objects'
import type { Static } from 'typebox'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
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

/** Finds the chart account of a kind of ledger account. */
export type FindChartAccount = (accountKind: AccountKind) => ChartAccount

/** Creates a lookup of a chart's accounts that caches its results. */
export function createChart(entries: readonly Entry[]): FindChartAccount {
  const byKey = new Map(entries.map((entry) => [toKey(entry), entry]))
  const cache = new Map<string, ChartAccount>()
  return (accountKind) => {
    const key = `${accountKind.name} ${accountKind.isOwn} ${accountKind.currency}`
    const cached = cache.get(key)
    if (cached) return cached
    const account = resolveChartAccount(byKey, accountKind)
    cache.set(key, account)
    return account
  }
}

function resolveChartAccount(byKey: ReadonlyMap<string, Entry>, accountKind: AccountKind): ChartAccount {
  const { kind, rail } = parseLedgerName(accountKind)
  const { currency } = accountKind
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
  const entry = candidates
    .map((candidate) => byKey.get(toKey(candidate)))
    .find((found) => found !== undefined)
  const railField = rail === undefined ? {} : { rail }
  if (entry) return { kind, ...railField, type: entry.type, code: entry.code, name: entry.name }
  const label = `${kind.charAt(0)}${kind.slice(1).toLowerCase()}`
  return {
    kind,
    ...railField,
    type: CHART_KINDS[kind],
    name: rail === undefined ? label : `${label} ${rail}`,
  }
}

function toKey({ kind, rail, currency }: Pick<Entry, 'kind' | 'rail' | 'currency'>): string {
  return `${kind} ${rail ?? '*'} ${currency ?? '*'}`
}

/** Splits the name of a ledger account: `rail:example-bank` is of kind RAIL, with the rail example-bank. */
function parseLedgerName({ name, isOwn }: AccountKind): { readonly kind: ChartKind; readonly rail?: string } {
  if (name === null) return { kind: isOwn ? 'PLATFORM' : 'CUSTOMERS' }
  const [prefix = '', rail] = name.split(':')
  const kind = prefix.toUpperCase()
  if (!isKeyOf(CHART_KINDS, kind))
    throw new Error(`the ledger account ${name} has no kind in the chart of accounts`)
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
      throw createFieldError('INVALID_INPUT', `accounts.${at}.${field}`, why)
    }
    const { kind, rail, currency, code, name, type } = entry
    if (rail !== undefined && kind !== 'RAIL')
      refuse('rail', `Only accounts of kind RAIL can have a rail, not ${kind}.`)
    if (currency !== undefined && !isKnownCurrency(currency))
      refuse('currency', `This server does not support the currency ${currency}.`)
    if (candidates.has(toKey(entry))) refuse('kind', 'An earlier entry has the same kind, rail and currency.')
    const sameCode = byCode.get(code) ?? entry
    if (sameCode.name !== name || sameCode.type !== type)
      refuse('code', `An earlier entry uses the code ${code} with another name or type.`)
    if ((byName.get(name) ?? entry).code !== code)
      refuse('name', `An earlier entry uses the name ${name} with another code.`)
    candidates.add(toKey(entry))
    byCode.set(code, entry)
    byName.set(name, entry)
  }
}

/** Throws 409 `CHART_OF_ACCOUNTS_INCOMPLETE`, listing the kinds of accounts missing from the chart. */
export function checkComplete(find: FindChartAccount, kinds: readonly AccountKind[]): void {
  const missing = kinds.flatMap((accountKind) => {
    const { code, kind, rail } = find(accountKind)
    return code === undefined
      ? [[kind, rail, accountKind.currency].filter((part) => part !== undefined).join(' ')]
      : []
  })
  if (missing.length > 0)
    throw new ApiError('CHART_OF_ACCOUNTS_INCOMPLETE', { details: { field: 'format', missing } })
}
