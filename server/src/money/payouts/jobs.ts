import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { type CheckLine, checkNextLines } from './check-lines.ts'
import { sendNextLines } from './send-lines.ts'
import { selectBatch } from './store.ts'

/**
 * Checks or pays the next lines of a batch. Further jobs continue with the remaining lines, so that a long
 * batch does not block other work.
 */
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
