import { addSeconds } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { findExternalAccountEvenIfDeleted } from '../../money/external-accounts/external-accounts.ts'
import { requireColumn } from '../../storage/read/required.ts'
import { findOwnAccount } from '../own-money/own-accounts.ts'
import { bookMovement, endMovement } from './movements.ts'
import { selectMovement } from './store.ts'

const RETRY_SECONDS = 5

/** Settles a movement in a sandbox without a chain, where the address determines the outcome. */
export const settleMovement: JobHandler<'treasury.settle'> = async (op, { treasuryMovementId: id }) => {
  const row = await selectMovement(op, id)
  if (row?.state !== 'SENT') return []
  const { rail, currency, amount, updated_at } = row
  const external = await findExternalAccountEvenIfDeleted(
    op,
    (await findOwnAccount(op, requireColumn(row, 'own_account_id'))).external_account_id,
  )
  const reply = await op.rails.find(rail)?.send({
    id,
    purpose: 'transfer',
    identifier: external?.identifier ?? null,
    account: external?.account_info,
    originatorId: op.platform.id,
    paymentRail: null,
    chain: external?.account_type ?? null,
    amount,
    currency,
    reference: id,
    remittanceInformation: null,
    alreadySubmitted: false,
    submittedAt: updated_at,
    now: op.now,
  })
  switch (reply?.outcome) {
    case 'delivered':
      return [
        ...bookMovement(op, { movementId: id, rail, currency, amount }, 'TO_COLD_STORAGE'),
        ...(await endMovement(op, id, 'deliver', reply)),
      ]
    case 'failed':
    case 'cancelled':
    case 'returned':
      return endMovement(op, id, 'fail', {})
    default: {
      const at = reply && 'pollAt' in reply ? reply.pollAt : undefined
      return [job(op, 'treasury.settle', { treasuryMovementId: id }, at ?? addSeconds(op.now, RETRY_SECONDS))]
    }
  }
}
