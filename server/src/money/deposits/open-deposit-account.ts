import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { deriveFundingReference } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { runRailSpan } from '../../kernel/operation/spans.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { OpenedDepositAccount, WantedDepositAccount } from '../../kernel/ports/rail.ts'
import { insert, update, type Write } from '../../storage/commit/writes.ts'
import type { DepositAccountRow, RailFunding } from '../../storage/rows/rail.ts'
import { findDepositAccount } from '../rails/deposit-accounts.ts'
import { deriveDepositAccountId, toPoolName } from '../rails/rail-ids.ts'
import { selectOtherOwner } from './store.ts'

/**
 * The record of an account that a rail must open, and the job that opens it. Without `accountId`, the account
 * is the currency's pool. Guard: the record does not exist.
 */
export function buildOpeningWrites(
  op: Op,
  rail: string,
  currency: string,
  accountId: string | null,
): Write[] {
  const owner = accountId ?? toPoolName(currency)
  const id = deriveDepositAccountId(rail, owner)
  const row: DepositAccountRow = {
    id,
    platform_id: op.platform.id,
    rail,
    currency,
    account_id: accountId,
    reference: deriveFundingReference(owner),
    rail_reference: null,
    matching: null,
    account_info: null,
    created_at: op.now,
    updated_at: op.now,
  }
  return [insert('deposit_accounts', row), job(op, 'deposit-account.open', { depositAccountId: id }, op.now)]
}

/**
 * Opens a deposit account at the rail, and adds its details to the internal account. Idempotent at the rail
 * by the record's id.
 */
export const openDepositAccount: JobHandler<'deposit-account.open'> = async (op, payload) => {
  const row = await findDepositAccount(op, payload.depositAccountId)
  if (!row || row.rail_reference !== null) return []
  const rail = op.rails.find(row.rail)
  if (!rail?.openDepositAccount) throw new Error(`The rail ${row.rail} cannot open deposit accounts`)
  const account = row.account_id === null ? undefined : await findInternalAccount(op, row.account_id)
  const request: WantedDepositAccount = {
    id: row.account_id ?? toPoolName(row.currency),
    purpose: account ? 'ACCOUNT' : 'POOL',
    currency: row.currency,
    reference: row.reference,
    holder: account && { id: account.customer_id ?? account.platform_id },
  }
  const openAccount = rail.openDepositAccount.bind(rail)
  const opened = await runRailSpan(op, rail, 'open account', () => openAccount(op, request))
  const { railReference, matching, accountInfo } = opened
  await checkExclusive(op, row, opened)
  const change = {
    rail_reference: railReference,
    matching,
    account_info: accountInfo,
    updated_at: op.now,
  }
  const recordUpdate = update('deposit_accounts', row.id, { rail_reference: null }, change)
  if (!account) return [recordUpdate, ...(opened.writes ?? [])]
  const otherFunding = (account.funding ?? []).filter(({ rail: otherRail }) => otherRail !== row.rail)
  const funding = [...otherFunding, toRailFunding(row, opened)]
  return [
    recordUpdate,
    ...(opened.writes ?? []),
    update(
      'internal_accounts',
      account.id,
      { updated_at: account.updated_at },
      { funding, updated_at: op.now },
    ),
  ]
}

/**
 * Throws if the rail has already assigned this account to another owner, who would receive the deposits. The
 * job is retried until the rail assigns a different account. A unique index guards this.
 */
async function checkExclusive(op: Op, row: DepositAccountRow, opened: OpenedDepositAccount): Promise<void> {
  const owner = await selectOtherOwner(op, row.id, { ...opened, rail: row.rail })
  if (!owner) return
  const [newOwner, otherRail] = [row, owner].map(
    ({ account_id, currency }) => account_id ?? toPoolName(currency),
  )
  throw new Error(
    `The rail ${row.rail} assigned the account ${opened.railReference} to ${newOwner}, but it already belongs to ${otherRail}`,
  )
}

function toRailFunding({ rail, reference }: DepositAccountRow, opened: OpenedDepositAccount): RailFunding {
  const { matching, accountInfo } = opened
  const instruction = `State the reference ${reference} with the payment.`
  return {
    rail,
    accountOrWalletInfo: accountInfo,
    instructionsNotes:
      matching === 'REFERENCE' ? instruction : 'All money that arrives here is credited to this account.',
  }
}
