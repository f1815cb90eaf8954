import { CURRENCIES } from '@countersign/contract/core/currencies'
import { ID_KINDS } from '@countersign/contract/core/ids'
import { keysOf } from '@countersign/contract/core/objects'
import {
  SEARCH_PAYMENTS_MAX,
  SEARCH_RESULTS_MAX,
  type searches,
} from '@countersign/contract/operation/search'
import { INT64_MAX } from '../../base/json/int64.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { type SearchHit, toSearchHit } from './search-results.ts'
import {
  BY_ID,
  type FoundKind,
  selectAccountsByNumber,
  selectAgentsByWords,
  selectById,
  selectCardsByLast4,
  selectCardsByMerchant,
  selectCustomersByWords,
  selectMandatesByReference,
  selectTransactionsByAmount,
  selectTransactionsByReference,
} from './search-store.ts'

export const searchHandlers: Handlers<typeof searches> = {
  search: async (op, { query }) => {
    const searchText = query.query.trim()
    const hits = searchText === '' ? [] : await Promise.all(SEARCHES.map((search) => search(op, searchText)))
    const byId = new Map(hits.flat().map((hit) => [hit.id, hit]))
    return { status: 200, body: { data: [...byId.values()].slice(0, SEARCH_RESULTS_MAX) } }
  },
}

type Search = (op: Op, searchText: string) => Promise<SearchHit[]>

/** Shorter reference prefixes would match too many records. */
const REFERENCE_CHARACTERS_MIN = 3
const MERCHANT_CHARACTERS_MIN = 3
/** The maximum number of results of a search by amount or by merchant. */
const FURTHER_RESULTS_MAX = 10

/** All searches run. Those that usually find a single record come first. */
const SEARCHES: readonly Search[] = [
  findById,
  async (op, searchText) =>
    searchText.length < REFERENCE_CHARACTERS_MIN
      ? []
      : toHits('Transaction', await selectTransactionsByReference(op, searchText, SEARCH_RESULTS_MAX)),
  async (op, searchText) => toHits('Mandate', await selectMandatesByReference(op, searchText)),
  async (op, searchText) =>
    /^\d{4}$/.test(searchText)
      ? toHits('Card', await selectCardsByLast4(op, searchText, SEARCH_RESULTS_MAX))
      : [],
  async (op, searchText) =>
    toHits('ExternalAccount', await selectAccountsByNumber(op, searchText, SEARCH_RESULTS_MAX)),
  async (op, searchText) =>
    toHits('Customer', await selectCustomersByWords(op, searchText, SEARCH_RESULTS_MAX)),
  findByAmount,
  findByMerchant,
  async (op, searchText) => toHits('Agent', await selectAgentsByWords(op, searchText, SEARCH_RESULTS_MAX)),
]

const ID = /^(?:([A-Za-z]+):)?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i

/** Finds a record by id. The kind prefix is optional, because the last byte of the UUID encodes the kind. */
async function findById(op: Op, searchText: string): Promise<SearchHit[]> {
  const [, prefix, uuid = ''] = ID.exec(searchText) ?? []
  const number = Number.parseInt(uuid.slice(-2), 16)
  const kinds = keysOf(BY_ID)
  const kind = kinds.find((kind) => ID_KINDS[kind] === number && (prefix ?? kind) === kind)
  return kind ? toHits(kind, [await selectById(op, kind, `${kind}:${uuid.toLowerCase()}`)]) : []
}

const AMOUNT = /^(\d{1,15}|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,18}))?(?:\s*([A-Za-z]{3,5}))?$/

/**
 * Finds payments by an amount as people write it, such as `1,250.00` or `25 EUR`. Without a currency, all
 * currencies are searched.
 */
async function findByAmount(op: Op, searchText: string): Promise<SearchHit[]> {
  const [, whole, decimals = '', code] = AMOUNT.exec(searchText) ?? []
  if (whole === undefined) return []
  const amounts = keysOf(CURRENCIES)
    .filter((currency) => code === undefined || currency === code.toUpperCase())
    .flatMap((currency) => {
      const missingDecimals = CURRENCIES[currency].decimals - decimals.length
      if (missingDecimals < 0) return []
      return [
        {
          currencies: [currency],
          units: BigInt(`${whole.replaceAll(',', '')}${decimals}`) * 10n ** BigInt(missingDecimals),
        },
      ]
    })
    .filter(({ units }) => units <= INT64_MAX)
  if (amounts.length === 0) return []
  const scanLimit = SEARCH_PAYMENTS_MAX
  return toHits(
    'Transaction',
    await selectTransactionsByAmount(op, amounts, { scanLimit, limit: FURTHER_RESULTS_MAX }),
  )
}

async function findByMerchant(op: Op, searchText: string): Promise<SearchHit[]> {
  if (searchText.length < MERCHANT_CHARACTERS_MIN) return []
  const cards = await selectCardsByMerchant(op, searchText, FURTHER_RESULTS_MAX)
  return cards.flatMap((card) => {
    const hit = toSearchHit('Card', card)
    return hit ? [{ ...hit, detail: `Used at ${card.purchased_at_merchant}` }] : []
  })
}

function toHits<Kind extends FoundKind>(
  kind: Kind,
  rows: readonly (Parameters<typeof toSearchHit<Kind>>[1] | undefined)[],
): SearchHit[] {
  return rows.flatMap((row) => (row && toSearchHit(kind, row)) ?? [])
}
