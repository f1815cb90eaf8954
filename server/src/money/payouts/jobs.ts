import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { type CheckLine, checkNextLines } from './check-lines.ts'
import { sendNextLines } from './send-lines.ts'
import { selectBatch } from './store.ts'

/** Checks or sends the next lines of a batch and leaves the rest to the next run, so that nothing waits behind a long one. */
export function createRunPayouts(checkLine: CheckLine): JobHandler<'payouts.run'> {
  return async (op, { batchId }) => {
    const batch = await selectBatch(op, batchId)
    switch (batch?.state) {
      case 'CHECKING':
        return checkNextLines(op, batch, checkLine)
      case 'SENDING':
        return sendNextLines(op, batch)
      default:
        return []
    }
  }
}
