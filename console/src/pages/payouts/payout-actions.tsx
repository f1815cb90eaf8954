import { PAYOUT_BATCH_TRANSITIONS } from '@countersign/contract/states/payout-states'
import { useQueryClient } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { useDenied } from '../../session/me.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { describeSums, executeBatch, type PayoutBatch } from './payout.ts'

/** The buttons of a batch. */
export function PayoutActions({ batch }: { readonly batch: PayoutBatch }) {
  const client = useQueryClient()
  const [approve, transact] = [useDenied('APPROVE'), useDenied('TRANSACT')]
  const { id, status, progress, totals, sameFileAs } = batch
  const next = PAYOUT_BATCH_TRANSITIONS[status]
  const onDone = () => void client.invalidateQueries({ queryKey: ['payouts'] })
  const payable = progress.checked - progress.faulty
  const left = progress.faulty > 0 ? ` Lines that cannot be paid are left out: ${progress.faulty}.` : ''
  const again =
    sameFileAs === undefined ? '' : `Caution: ${sameFileAs} has the same file and may have paid it. `
  const unready = next.execute === null ? 'Only a checked batch can be paid.' : undefined
  const nothing = totals.length === 0 ? 'No line can be paid.' : undefined
  return (
    <>
      <ActionButton
        label="Cancel batch"
        done="Canceled the batch."
        denied={transact ?? (next.cancel === null ? 'It has ended.' : undefined)}
        act={async () => await countersign.payoutBatches.cancel(id)}
        ask={{
          title: 'Cancel batch?',
          text: 'Lines that were not sent are not paid. Payments that were sent continue.',
        }}
        onDone={onDone}
      />
      <ActionButton
        label="Pay"
        done="Your approval of the batch is recorded."
        variant="filled"
        denied={approve ?? unready ?? nothing}
        act={() => executeBatch(batch)}
        ask={{
          title: 'Pay this batch?',
          text: `${again}${describeSums(batch)} by ${payable} ${payable === 1 ? 'payment' : 'payments'}.${left} If your platform asks for several approvals, the last one pays.`,
        }}
        onDone={onDone}
      />
    </>
  )
}
