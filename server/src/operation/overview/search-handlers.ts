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
import { resultOf, type SearchHit } from './search-results.ts'
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
    const asked = query.query.trim()
    const found = asked === '' ? [] : await Promise.all(WAYS.map((way) => way(op, asked)))
    const byId = new Map(found.flat().map((one) => [one.id, one]))
    return { status: 200, body: { data: [...byId.values()].slice(0, SEARCH_RESULTS_MAX) } }
  },
}

type Way = (op: Op, asked: string) => Promise<SearchHit[]>

/** The minimum length of a reference prefix. Shorter ones match too many records. */
const REFERENCE_CHARACTERS_MIN = 3
const MERCHANT_CHARACTERS_MIN = 3
/** The result limit of one search among several. */
const FURTHER_RESULTS_MAX = 10

/** All kinds of search are tried; those that identify one record come first. */
const WAYS: readonly Way[] = [
  findById,
  async (op, asked) =>
    asked.length < REFERENCE_CHARACTERS_MIN
      ? []
      : toFound('Transaction', await selectTransactionsByReference(op, asked, SEARCH_RESULTS_MAX)),
  async (op, asked) => toFound('Mandate', await selectMandatesByReference(op, asked)),
  async (op, asked) =>
    /^\d{4}$/.test(asked) ? toFound('Card', await selectCardsByLast4(op, asked, SEARCH_RESULTS_MAX)) : [],
  async (op, asked) =>
    toFound('ExternalAccount', await selectAccountsByNumber(op, asked, SEARCH_RESULTS_MAX)),
  async (op, asked) => toFound('Customer', await selectCustomersByWords(op, asked, SEARCH_RESULTS_MAX)),
  findByAmount,
  findByMerchant,
  async (op, asked) => toFound('Agent', await selectAgentsByWords(op, asked, SEARCH_RESULTS_MAX)),
]

const ID = /^(?:([A-Za-z]+):)?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i

/** The record of an id. Its kind may be left out, because the last byte of a UUID has it. */
async function findById(op: Op, asked: string): Promise<SearchHit[]> {
  const [, prefix, uuid = ''] = ID.exec(asked) ?? []
  const number = Number.parseInt(uuid.slice(-2), 16)
  const kinds = keysOf(BY_ID)
  const kind = kinds.find((kind) => ID_KINDS[kind] === number && (prefix ?? kind) === kind)
  return kind ? toFound(kind, [await selectById(op, kind, `${kind}:${uuid.toLowerCase()}`)]) : []
}

const AMOUNT = /^(\d{1,15}|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,18}))?(?:\s*([A-Za-z]{3,5}))?$/

/**
 * Payments by an amount as people write it, such as `1,250.00` or `25 EUR`, in all currencies or in the named
 * one.
 */
async function findByAmount(op: Op, asked: string): Promise<SearchHit[]> {
  const [, whole, decimals = '', code] = AMOUNT.exec(asked) ?? []
  if (whole === undefined) return []
  const amounts = keysOf(CURRENCIES)
    .filter((currency) => code === undefined || currency === code.toUpperCase())
    .flatMap((currency) => {
      const rest = CURRENCIES[currency].decimals - decimals.length
      if (rest < 0) return []
      return [
        {
          currencies: [currency],
          units: BigInt(`${whole.replaceAll(',', '')}${decimals}`) * 10n ** BigInt(rest),
        },
      ]
    })
    .filter(({ units }) => units <= INT64_MAX)
  if (amounts.length === 0) return []
  const scanLimit = SEARCH_PAYMENTS_MAX
  return toFound(
    'Transaction',
    await selectTransactionsByAmount(op, amounts, { scanLimit, limit: FURTHER_RESULTS_MAX }),
  )
}

async function findByMerchant(op: Op, asked: string): Promise<SearchHit[]> {
  if (asked.length < MERCHANT_CHARACTERS_MIN) return []
  const cards = await selectCardsByMerchant(op, asked, FURTHER_RESULTS_MAX)
  return cards.flatMap((card) => {
    const found = resultOf('Card', card)
    return found ? [{ ...found, detail: `Used at ${card.purchased_at_merchant}` }] : []
  })
}

function toFound<Kind extends FoundKind>(
  kind: Kind,
  rows: readonly (Parameters<typeof resultOf<Kind>>[1] | undefined)[],
): SearchHit[] {
  return rows.flatMap((row) => (row && resultOf(kind, row)) ?? [])
}
