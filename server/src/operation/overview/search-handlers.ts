import { ID_KINDS } from '@countersign/contract/core/ids'
import { keysOf } from '@countersign/contract/core/objects'
import { SEARCH_RESULTS_MAX, type searches } from '@countersign/contract/operation/search'
import type { Op } from '../../kernel/operation/app.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { type Found, resultOf } from './search-results.ts'
import {
  BY_ID,
  type FoundKind,
  selectAccountsByNumber,
  selectAgentsByWords,
  selectById,
  selectCardsByLast4,
  selectCustomersByWords,
  selectTransactionByReference,
} from './search-store.ts'

export const searchHandlers: Handlers<typeof searches> = {
  search: async (op, { query }) => {
    const asked = query.query.trim()
    const found = asked === '' ? [] : await Promise.all(WAYS.map((way) => way(op, asked)))
    const byId = new Map(found.flat().map((one) => [one.id, one]))
    return { status: 200, body: { data: [...byId.values()].slice(0, SEARCH_RESULTS_MAX) } }
  },
}

type Way = (op: Op, asked: string) => Promise<Found[]>

/** Every way is tried; ways that name one record come first. */
const WAYS: readonly Way[] = [
  findById,
  async (op, asked) => shown('Transaction', [await selectTransactionByReference(op, asked)]),
  async (op, asked) =>
    /^\d{4}$/.test(asked) ? shown('Card', await selectCardsByLast4(op, asked, SEARCH_RESULTS_MAX)) : [],
  async (op, asked) => shown('ExternalAccount', await selectAccountsByNumber(op, asked, SEARCH_RESULTS_MAX)),
  async (op, asked) => shown('Customer', await selectCustomersByWords(op, asked, SEARCH_RESULTS_MAX)),
  async (op, asked) => shown('Agent', await selectAgentsByWords(op, asked, SEARCH_RESULTS_MAX)),
]

const ID = /^(?:([A-Za-z]+):)?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i

/** The record of an id. Its kind may be left out, because the last byte of a UUID has it. */
async function findById(op: Op, asked: string): Promise<Found[]> {
  const [, prefix, uuid = ''] = ID.exec(asked) ?? []
  const number = Number.parseInt(uuid.slice(-2), 16)
  const kinds = keysOf(BY_ID)
  const kind = kinds.find((kind) => ID_KINDS[kind] === number && (prefix ?? kind) === kind)
  return kind ? shown(kind, [await selectById(op, kind, `${kind}:${uuid.toLowerCase()}`)]) : []
}

function shown<Kind extends FoundKind>(
  kind: Kind,
  rows: readonly (Parameters<typeof resultOf<Kind>>[1] | undefined)[],
): Found[] {
  return rows.flatMap((row) => (row && resultOf(kind, row)) ?? [])
}
