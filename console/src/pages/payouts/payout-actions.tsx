import { PAYOUT_BATCH_TRANSITIONS } from '@countersign/contract/states/payout-states'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useMissingPermission } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { describeTotals, executeBatch, type PayoutBatch } from './payout.ts'

/** Cancel and Pay buttons for a payout batch. */
export function PayoutActions({ batch }: { readonly batch: PayoutBatch }) {
  const client = useQueryClient()
  const [approve, transact] = [useMissingPermission('APPROVE'), useMissingPermission('TRANSACT')]
  const { id, status, progress, totals, sameFileAs } = batch
  const next = PAYOUT_BATCH_TRANSITIONS[status]
  const onDone = () => void client.invalidateQueries({ queryKey: ['payouts'] })
  const payable = progress.checked - progress.faulty
  const skipped = progress.faulty > 0 ? ` Lines that cannot be paid are skipped: ${progress.faulty}.` : ''
  const duplicateWarning =
    sameFileAs === undefined ? '' : `Caution: ${sameFileAs} has the same file and may already have paid it. `
  const notExecutable = next.execute === null ? 'Only a checked batch can be paid.' : undefined
  const nonePayable = totals.length === 0 ? 'None of the lines can be paid.' : undefined
  return (
    <>
      <ActionButton
        label="Cancel batch"
        successText="Batch canceled."
        disabledReason={transact ?? (next.cancel === null ? 'This batch is already finished.' : undefined)}
        act={async () => await countersign.payoutBatches.cancel(id)}
        question={{
          title: 'Cancel batch?',
          text: 'Unsent lines will not be paid. Payments already sent will continue.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Pay"
        successText="Your approval of the batch is recorded."
        variant="filled"
        disabledReason={approve ?? notExecutable ?? nonePayable}
        act={() => executeBatch(batch)}
        question={{
          title: 'Pay this batch?',
          text: `${duplicateWarning}${describeTotals(batch)} in ${payable} ${payable === 1 ? 'payment' : 'payments'}.${skipped} If your platform requires several approvals, the last one pays.`,
        }}
        onDone={onDone}
      />
    </>
  )
}
