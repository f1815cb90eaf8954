import type { reconciliationMatches } from '@countersign/contract/operation/reconciliation-matches'
import { MATCH_INITIAL, MATCH_TRANSITIONS, type MatchEvent } from '@countersign/contract/states/match-states'
import { nameActor } from '../../kernel/audit/actors.ts'
import { toSystemAccountId } from '../../kernel/ledger/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkEvent, transition } from '../../kernel/operation/transition.ts'
import { castVote } from '../../people/members/approval-votes.ts'
import { expectRow, insert } from '../../storage/commit/writes.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import type { ReconciliationMatchRow } from '../../storage/rows/reconciliation.ts'
import { joinWrites, undoWrites } from './book-match.ts'
import { accountForDifference, computeDigest, findGroup, type Group, matchView } from './matches.ts'
import { selectMatch, selectMatches, selectProposal } from './store.ts'
import { listSuggestions } from './suggestions.ts'

export const reconciliationMatchHandlers: Handlers<typeof reconciliationMatches> = {
  reconciliation_match_suggestion_list: async (op, { params }) => ({
    status: 200,
    body: { data: await listSuggestions(op, params.reconciliationId) },
  }),

  reconciliation_match_create: async (op, { body }) => {
    const group = await findGroup(op, body)
    const account = accountForDifference(group, body)
    const digest = computeDigest(group, account)
    const proposal = await selectProposal(op, digest)
    const row = proposal ?? newMatch(op, group, { account, digest, reason: body.reason })
    const vote = await castVote(op, row.id)
    if (!vote.decides) {
      const proposalGuard = proposal
        ? expectRow('reconciliation_matches', row.id, { state: row.state })
        : insert('reconciliation_matches', row)
      return { status: 201, body: matchView(row), writes: [...vote.writes, proposalGuard] }
    }
    const agreed = transition(op, 'reconciliation_matches', MATCH_TRANSITIONS, row, 'agree')
    return {
      status: 201,
      body: matchView(agreed.row),
      writes: [
        ...vote.writes,
        ...(await joinWrites(op, group, row)),
        proposal ? agreed.write : insert('reconciliation_matches', agreed.row),
      ],
    }
  },

  reconciliation_match_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectMatches(op, query),
      table: 'reconciliation_matches',
      view: (rows) => rows.map(matchView),
    }),
  }),

  reconciliation_match_undo: async (op, { params, body }) => {
    const row = await findMatch(op, params.reconciliationMatchId, 'undo')
    const change = { undo_reason: body.reason }
    const undone = transition(op, 'reconciliation_matches', MATCH_TRANSITIONS, row, 'undo', change)
    // A proposal has booked nothing yet.
    if (row.state === MATCH_INITIAL)
      return { status: 200, body: matchView(undone.row), writes: [undone.write] }
    const vote = await castVote(op, buildId('ReconciliationMatch', deriveUuid(`${row.id} undo`)))
    if (!vote.decides) {
      const stateGuard = expectRow('reconciliation_matches', row.id, { state: row.state })
      return { status: 200, body: matchView(row), writes: [...vote.writes, stateGuard] }
    }
    const { rail, currency } = row
    const account = { id: toSystemAccountId(op.platform.id, 'rail', currency, rail), rail, currency }
    return {
      status: 200,
      body: matchView(undone.row),
      writes: [...vote.writes, ...(await undoWrites(op, account, row)), undone.write],
    }
  },

  reconciliation_match_close: async (op, { params }) => {
    const row = await findMatch(op, params.reconciliationMatchId, 'close')
    const closed = transition(op, 'reconciliation_matches', MATCH_TRANSITIONS, row, 'close')
    return { status: 200, body: matchView(closed.row), writes: [closed.write] }
  },
}

/** Throws 404 `RECONCILIATION_MATCH_NOT_FOUND`, 409 `INVALID_STATE_TRANSITION`. */
async function findMatch(op: Op, id: string, by: MatchEvent): Promise<ReconciliationMatchRow> {
  const row = await selectMatch(op, id)
  if (!row)
    throw new ApiError('RECONCILIATION_MATCH_NOT_FOUND', { details: { field: 'reconciliationMatchId' } })
  checkEvent(MATCH_TRANSITIONS, row.state, by, `This match is ${row.state}.`)
  return row
}

function newMatch(
  op: Op,
  group: Group,
  details: Pick<ReconciliationMatchRow, 'account' | 'digest' | 'reason'>,
): ReconciliationMatchRow {
  const actor = nameActor(op.actor)
  if (!actor) throw new Error(`an actor of kind ${op.actor.kind} cannot create a match`)
  return {
    id: op.newId('ReconciliationMatch'),
    platform_id: op.platform.id,
    rail: group.account.rail,
    currency: group.account.currency,
    state: MATCH_INITIAL,
    lines: group.lines.map(({ entry }) => entry.id),
    items: group.items.map(({ id }) => id),
    line_sum: group.lineSum,
    book_sum: group.bookSum,
    ...details,
    undo_reason: null,
    ...actor,
    created_at: op.now,
    updated_at: op.now,
  }
}
