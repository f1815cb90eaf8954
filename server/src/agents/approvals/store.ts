import type { ApprovalKind } from '@countersign/contract/agents/approvals'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Op } from '../../kernel/operation/app.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { lookupById, lookupByKey } from '../../storage/read/lookup.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { AgentDecisionRow, AgentRow } from '../../storage/rows/agent.ts'
import type { ApprovalVoteRow } from '../../storage/rows/member.ts'
import type { Tables } from '../../storage/rows/tables.ts'

/** A record that waits for a decision. */
export interface WaitingRow {
  readonly id: string
  readonly created_at: Date
  readonly kind: ApprovalKind
  readonly customer_id: string | null
}

export interface WaitingFilters {
  readonly kind?: ApprovalKind
  readonly customerId?: string
  readonly objectId?: string
}

/**
 * Selects everything that waits for a decision. Waiting incoming payments are found by their expiry jobs, and
 * holds by their release jobs, because an index on the state would slow down every payment. A deposit whose
 * sender is being screened appears only as its screening.
 */
export function selectWaiting(op: Op, { kind, customerId, objectId }: WaitingFilters) {
  const platform = sql.lit(extractUuid(op.platform.id))
  const waiting = sql<WaitingRow>`(
    SELECT id, created_at, 'AGENT_ACTION' AS kind, customer_id FROM agent_actions
      WHERE platform_id = ${platform} AND state = 'PENDING_APPROVAL'
    UNION ALL
    SELECT t.id, t.created_at, 'INCOMING_PAYMENT', t.customer_id
      FROM jobs j JOIN transactions t ON t.id = right(j.payload->>'transactionId', 36)::uuid
      WHERE j.platform_id = ${platform} AND j.kind = 'receipt.expire' AND j.due_at > ${op.now} AND t.state = 'PENDING'
    UNION ALL
    SELECT s.id, s.created_at, 'SCREENING', t.customer_id
      FROM screenings s LEFT JOIN transactions t ON t.id = s.transaction_id
      WHERE s.platform_id = ${platform} AND s.state = 'WAITING'
    UNION ALL
    SELECT d.id, d.created_at, 'DEPOSIT', NULL FROM deposits d
      WHERE d.platform_id = ${platform} AND d.state = 'SUSPENSE'
        AND NOT EXISTS (SELECT 1 FROM screenings s WHERE s.platform_id = ${platform} AND s.state = 'WAITING' AND s.deposit_id = d.id)
    UNION ALL
    SELECT id, created_at, 'RAIL_EVENT', NULL FROM rail_events WHERE platform_id = ${platform} AND state = 'WAITING'
    UNION ALL
    SELECT id, created_at, 'PAYOUT_BATCH', NULL FROM payout_batches
      WHERE platform_id = ${platform} AND state = 'AWAITING_APPROVAL'
    UNION ALL
    SELECT id, created_at, 'PAYMENT_SCHEDULE', customer_id FROM payment_schedules
      WHERE platform_id = ${platform} AND state = 'AWAITING_APPROVAL'
    UNION ALL
    SELECT id, created_at, 'OWN_ACCOUNT', NULL FROM own_accounts
      WHERE platform_id = ${platform} AND state = 'AWAITING_APPROVAL'
    UNION ALL
    SELECT id, created_at, 'PLATFORM_WITHDRAWAL', NULL FROM platform_withdrawals
      WHERE platform_id = ${platform} AND state = 'AWAITING_APPROVAL'
    UNION ALL
    SELECT c.id, c.created_at, 'ACCOUNT_CHANGE', c.customer_id
      FROM account_changes c JOIN external_accounts x ON x.id = c.external_account_id
      WHERE c.platform_id = ${platform} AND c.state = 'PENDING' AND x.deleted_at IS NULL
    UNION ALL
    SELECT id, created_at, 'TREASURY_MOVEMENT', NULL FROM treasury_movements
      WHERE platform_id = ${platform} AND state = 'AWAITING_APPROVAL'
    UNION ALL
    SELECT id, created_at, 'TREASURY_KEY', NULL FROM treasury_keys
      WHERE platform_id = ${platform} AND state = 'AWAITING_APPROVAL'
    UNION ALL
    SELECT h.id, h.created_at, 'FUNDS_HOLD', h.customer_id
      FROM jobs j JOIN funds_holds h ON h.id = right(j.payload->>'fundsHoldId', 36)::uuid
      WHERE j.platform_id = ${platform} AND j.kind = 'funds-hold.release' AND h.state = 'HELD'
        AND EXISTS (SELECT 1 FROM approval_votes v WHERE v.object_id = h.id)
  )`
  // The union is selected as a table, because pages are ordered by a table's columns.
  const rows = op.read.selectFrom(waiting.as('agent_actions')).selectAll()
  return rows
    .$call((q) => whereIfDefined(q, 'kind', '=', kind))
    .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
    .$call((q) => whereIfDefined(q, 'id', '=', objectId)) as unknown as SelectQueryBuilder<
    Tables,
    'agent_actions',
    WaitingRow
  >
}

/** The external account, the rule and the reason for registering an operator's account. */
export async function selectOwnAccount(op: Op, id: string) {
  return op.read
    .selectFrom('own_accounts')
    .where('platform_id', '=', op.platform.id)
    .where('id', '=', id)
    .select(['external_account_id', 'purpose', 'reason', 'sweep'])
    .executeTakeFirstOrThrow()
}

export async function selectWithdrawal(op: Op, id: string) {
  return op.read
    .selectFrom('platform_withdrawals')
    .where('platform_id', '=', op.platform.id)
    .where('id', '=', id)
    .select(['own_account_id', 'amount', 'currency', 'source', 'reason'])
    .executeTakeFirstOrThrow()
}

export async function selectTreasuryMovement(op: Op, id: string) {
  return op.read
    .selectFrom('treasury_movements')
    .where('platform_id', '=', op.platform.id)
    .where('id', '=', id)
    .select(['id', 'own_account_id', 'amount', 'currency', 'rail', 'reason'])
    .executeTakeFirstOrThrow()
}

export async function selectTreasuryKey(op: Op, id: string) {
  return op.read
    .selectFrom('treasury_keys')
    .where('platform_id', '=', op.platform.id)
    .where('id', '=', id)
    .select(['rail', 'address', 'reason'])
    .executeTakeFirstOrThrow()
}

const AGENT_BY_ID = lookupById('agents')

export async function selectAgent(op: Op, id: string): Promise<AgentRow | undefined> {
  return op.find(AGENT_BY_ID, id)
}

type FirstDecision = Pick<AgentDecisionRow, 'platform_id' | 'decision' | 'policy_version'> & {
  readonly id: string
}

/** The first decision about each action, which required approval. */
const FIRST_DECISION = lookupByKey<FirstDecision>(
  `SELECT a.id, a.platform_id, d.decision, d.policy_version
   FROM agent_actions a CROSS JOIN LATERAL (SELECT decision, policy_version FROM agent_decisions d
     WHERE d.agent_id = a.agent_id AND d.created_at >= a.created_at AND d.action_id = a.id
     ORDER BY d.created_at, d.id LIMIT 1) AS d
   WHERE a.id = ANY ($1::uuid[])`,
  'id',
)

export async function selectFirstDecision(op: Op, actionId: string): Promise<FirstDecision | undefined> {
  return op.find(FIRST_DECISION, actionId)
}

interface VoteRow {
  /** The waiting record. For a deposit, it differs from the object of the vote. */
  readonly record_id: string
  readonly member_id: string
  readonly name: string
  readonly at: Date
  readonly choice: ApprovalVoteRow['choice']
}

/** The votes on these records, in order. Votes on a deposit are split by the choice that they support. */
export async function selectVotes(op: Op, objectIds: readonly string[]): Promise<VoteRow[]> {
  if (objectIds.length === 0) return []
  return op.read
    .selectFrom('approval_votes')
    .innerJoin('members', 'members.id', 'approval_votes.member_id')
    .where('approval_votes.platform_id', '=', op.platform.id)
    .where((where) =>
      where.or([
        where('approval_votes.object_id', 'in', objectIds),
        where('approval_votes.deposit_id', 'in', objectIds),
      ]),
    )
    .select(['approval_votes.member_id', 'approval_votes.at', 'approval_votes.choice', 'members.name'])
    .select(sql<string>`coalesce(approval_votes.deposit_id, approval_votes.object_id)`.as('record_id'))
    .orderBy('approval_votes.at')
    .orderBy('approval_votes.place')
    .execute()
}
