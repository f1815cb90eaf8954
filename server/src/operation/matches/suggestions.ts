import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import {
  MATCH_SUGGESTIONS_MAX,
  type reconciliation_match_suggestion_list,
} from '@countersign/contract/operation/reconciliation-matches'
import { getHolderName } from '../../kernel/accounts/external-account-names.ts'
import { toSystemAccountId } from '../../kernel/ledger/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { findStatementLine, type StatementLine } from '../reconciliations/explain-lines.ts'
import { openDifferences } from '../reconciliations/open-differences.ts'
import type { OpenLine, OpenPayment } from './signs.ts'
import { type Described, type Item, type RailAccount, selectDescribed, selectItems } from './store.ts'
import { type Suggestion, suggestMatches } from './suggest.ts'

/** The maximum number of differences read per request, oldest first. */
const DIFFERENCES_MAX = 1000

type SuggestionView = SuccessOf<typeof reconciliation_match_suggestion_list>['body']['data'][number]

/**
 * Suggests which open lines and payments of an account on one day belong together. Throws 404
 * `RECONCILIATION_NOT_FOUND`.
 */
export async function listSuggestions(op: Op, reconciliationId: string): Promise<SuggestionView[]> {
  const { rail, currency, differences } = await openDifferences(op, reconciliationId)
  const account = { id: toSystemAccountId(op.platform.id, 'rail', currency, rail), rail, currency }
  const recordIds = differences.flatMap(({ about }) => about ?? []).slice(0, DIFFERENCES_MAX)
  const isLine = (id: string) => id.startsWith('StatementEntry:')
  const lines = await findOpenLines(op, recordIds.filter(isLine))
  const payments = await findOpenPayments(
    op,
    account,
    recordIds.filter((id) => !isLine(id) && !id.startsWith('ReconciliationMatch:')),
  )
  return suggestMatches(lines, payments)
    .toSorted((a, b) => b.signs.length - a.signs.length)
    .slice(0, MATCH_SUGGESTIONS_MAX)
    .map(toSuggestionView)
}

async function findOpenLines(op: Op, ids: readonly string[]): Promise<OpenLine[]> {
  const found = await Promise.all(ids.map((id) => findStatementLine(op, id)))
  return found.flatMap((line) => (line ? [toOpenLine(line)] : []))
}

function toOpenLine({ entry }: StatementLine): OpenLine {
  const { id, amount, booked_at, text, rail_reference, deposit } = entry
  const words = [text, rail_reference, deposit?.remittanceInformation, deposit?.sender?.name]
  return { id, amount, atMs: booked_at.getTime(), text: words.flatMap((word) => word ?? []).join(' ') }
}

async function findOpenPayments(
  op: Op,
  account: RailAccount,
  ids: readonly string[],
): Promise<OpenPayment[]> {
  const [items, described] = await Promise.all([selectItems(op, account, ids), selectDescribed(op, ids)])
  const byId = new Map(described.map((description) => [description.id, description]))
  return items.flatMap((item) => {
    const description = byId.get(item.id)
    return description ? [toOpenPayment(item, description)] : []
  })
}

function toOpenPayment({ id, booked, lines, line_sum }: Item, description: Described): OpenPayment {
  const { payer, payee, sender } = description
  const holders = [payer, payee].map((info) => (info ? getHolderName({ account_info: info }) : undefined))
  return {
    id,
    booked,
    lineIds: lines,
    lineSum: line_sum,
    atMs: description.at.getTime(),
    references: description.references.flatMap((reference) => reference ?? []),
    names: [...holders, sender?.name].flatMap((name) => name ?? []),
  }
}

function toSuggestionView({ kind, signs, lines, payments, difference, account }: Suggestion): SuggestionView {
  const lineIds = [...lines.map(({ id }) => id), ...payments.flatMap((payment) => payment.lineIds)]
  const bookSum = payments.reduce((sum, { booked }) => sum + booked, 0n)
  return {
    kind,
    signs: [...signs],
    statementEntryIds: lineIds,
    paymentIds: payments.map(({ id }) => id),
    lineSum: bookSum + difference,
    bookSum,
    difference,
    ...present({ account, text: lines[0]?.text }),
  }
}
