import { PAYOUT_BATCH_TRANSITIONS } from '@countersign/contract/states/payout-states'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { describeTotals, executeBatch, type PayoutBatch } from './payout.ts'

/** Cancel and Pay buttons for a payout batch. */
export function PayoutActions({ batch }: { readonly batch: PayoutBatch }) {
  const client = useQueryClient()
  const [approve, transact] = [useDenied('APPROVE'), useDenied('TRANSACT')]
  const { id, status, progress, totals, sameFileAs } = batch
  const next = PAYOUT_BATCH_TRANSITIONS[status]
  const onDone = () => void client.invalidateQueries({ queryKey: ['payouts'] })
  const payable = progress.checked - progress.faulty
  const skipped = progress.faulty > 0 ? ` Lines that cannot be paid are left out: ${progress.faulty}.` : ''
  const duplicateWarning =
    sameFileAs === undefined ? '' : `Caution: ${sameFileAs} has the same file and may have paid it. `
  const notExecutable = next.execute === null ? 'Only a checked batch can be paid.' : undefined
  const nonePayable = totals.length === 0 ? 'None of the lines can be paid.' : undefined
  return (
    <>
      <ActionButton
        label="Cancel batch"
        done="Canceled the batch."
        denied={transact ?? (next.cancel === null ? 'This batch is already finished.' : undefined)}
        act={async () => await countersign.payoutBatches.cancel(id)}
        ask={{
          title: 'Cancel batch?',
          text: 'Unsent lines will not be paid. Payments already sent will continue.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Pay"
        done="Your approval of the batch is recorded."
        variant="filled"
        denied={approve ?? notExecutable ?? nonePayable}
        act={() => executeBatch(batch)}
        ask={{
          title: 'Pay this batch?',
          text: `${duplicateWarning}${describeTotals(batch)} by ${payable} ${payable === 1 ? 'payment' : 'payments'}.${skipped} If your platform asks for several approvals, the last one pays.`,
        }}
        onDone={onDone}
      />
    </>
  )
}
