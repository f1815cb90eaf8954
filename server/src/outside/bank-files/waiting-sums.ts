import type { Op } from '../../kernel/operation/app.ts'
import { PAYMENT_ENTRIES } from '../../money/evidence/entry-kinds.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { getReportedLine } from '../../money/rails/rail-ids.ts'
import { createRailOp, decide } from '../../money/rails/rail-worker.ts'
import { explainEntry, findEntryState } from '../../operation/reconciliations/explain-entry.ts'
import { applyOnce } from './apply-line.ts'
import { selectFileByMessage } from './file-store.ts'
import { endHold } from './hold-line.ts'
import type { BankFileWorker } from './rail.ts'
import { findBookedPayments } from './understand-line.ts'
import { selectWaitingSums, type WaitingSum } from './waiting-store.ts'

/**
 * Completes the payments of a file if the bank booked their sum before it reported the rejected ones: the
 * others now add up to the booked amount. After a crash, the status that triggers this is applied again.
 */
export async function settleWaitingSums(worker: BankFileWorker, messageName: string): Promise<void> {
  for (const waiting of await selectWaitingSums(await createRailOp(worker), worker.rail.name, messageName))
    await settleSum(worker, messageName, waiting)
}

async function settleSum(worker: BankFileWorker, messageName: string, waiting: WaitingSum): Promise<void> {
  const { name: rail } = worker.rail
  const name = getReportedLine(waiting.id)
  const amount = BigInt(waiting.amount)
  const op = await createRailOp(worker)
  const payments = await findPaymentsOfSum(op, rail, messageName, amount)
  if (!payments) return
  const state = await findEntryState(op, rail, name)
  // The operator has already booked it.
  if (state === 'explained') return
  if (state === 'absent')
    for (const payment of payments) await applyOnce(worker, toEvidence(waiting, name, payment))
  await decide(worker, async (op) => {
    const ended = await endHold(op, rail, name)
    if (ended.length === 0 || state === 'absent') return ended
    const current = await findPaymentsOfSum(op, rail, messageName, amount)
    const [first, ...others] = (current ?? []).map((payment) => ({
      ...payment,
      entryId: toEntryName(name, payment),
    }))
    if (!first) return []
    const explained = await explainEntry(op, rail, [first, ...others])
    return explained.length === 0 ? [] : [...explained, ...ended]
  })
}

interface PaymentOfSum {
  readonly kind: 'PAYMENT' | 'PULL'
  readonly itemId: string
  readonly amount: bigint
  readonly part: string | undefined
}

/** Finds the payments of a file that the bank may have booked, if they add up to this amount. */
async function findPaymentsOfSum(
  op: Op,
  rail: string,
  messageName: string,
  amount: bigint,
): Promise<PaymentOfSum[] | undefined> {
  const file = await selectFileByMessage(op, rail, messageName)
  const booked = file && (await findBookedPayments(op, file.id, amount))
  return booked?.map(({ kind, id, amount, part }) => ({ kind, itemId: id, amount, part }))
}

function toEntryName(name: string, { part }: PaymentOfSum): string {
  return part === undefined ? name : `${name}/${part}`
}

function toEvidence(
  { currency, bookedOn }: WaitingSum,
  name: string,
  payment: PaymentOfSum,
): PaymentEvidence {
  const { direction, event, isMoneyOut } = PAYMENT_ENTRIES[payment.kind]
  return {
    id: toEntryName(name, payment),
    source: 'STATEMENT',
    // The line was matched to the rail's account when it was read.
    account: null,
    kind: 'payment',
    event,
    subject: { direction, id: payment.itemId },
    amount: isMoneyOut ? -payment.amount : payment.amount,
    currency,
    occurredAt: `${bookedOn}T00:00:00.000Z`,
  }
}
