import type { Op } from '../../kernel/operation/app.ts'
import { PAYMENT_ENTRIES } from '../../money/evidence/entry-kinds.ts'
import type { PaymentEvidence } from '../../money/evidence/evidence.ts'
import { getReportedLine } from '../../money/rails/rail-ids.ts'
import { decide, opOf } from '../../money/rails/rail-worker.ts'
import { explainEntry, findEntryState } from '../../operation/reconciliations/explain-entry.ts'
import { applyOnce } from './apply-line.ts'
import { selectFileByMessage } from './file-store.ts'
import { endHold } from './hold-line.ts'
import type { BankFileWorker } from './rail.ts'
import { findBookedPayments } from './understand-line.ts'
import { selectWaitingSums, type WaitingSum } from './waiting-store.ts'

/**
 * Completes a file's payments if the bank booked their sum before it reported which of them it rejects: the
 * others now add up to the booked amount. Runs again after a crash, together with the status that triggers
 * it.
 */
export async function settleWaitingSums(worker: BankFileWorker, messageName: string): Promise<void> {
  for (const waiting of await selectWaitingSums(await opOf(worker), worker.rail.name, messageName))
    await settleSum(worker, messageName, waiting)
}

async function settleSum(worker: BankFileWorker, messageName: string, waiting: WaitingSum): Promise<void> {
  const { name: rail } = worker.rail
  const name = getReportedLine(waiting.id)
  const amount = BigInt(waiting.amount)
  const op = await opOf(worker)
  const payments = await paymentsOfSum(op, rail, messageName, amount)
  if (!payments) return
  const state = await findEntryState(op, rail, name)
  // The operator has already booked it.
  if (state === 'explained') return
  if (state === 'absent') for (const one of payments) await applyOnce(worker, evidenceOf(waiting, name, one))
  await decide(worker, async (op) => {
    const ended = await endHold(op, rail, name)
    if (ended.length === 0 || state === 'absent') return ended
    const now = await paymentsOfSum(op, rail, messageName, amount)
    const [first, ...rest] = (now ?? []).map((one) => ({ ...one, entryId: nameOf(name, one) }))
    if (!first) return []
    const explained = await explainEntry(op, rail, [first, ...rest])
    return explained.length === 0 ? [] : [...explained, ...ended]
  })
}

interface PaymentOfSum {
  readonly kind: 'PAYMENT' | 'PULL'
  readonly itemId: string
  readonly amount: bigint
  readonly part: string | undefined
}

/** The payments of a file that the bank may have booked, if they add up to this amount. */
async function paymentsOfSum(
  op: Op,
  rail: string,
  messageName: string,
  amount: bigint,
): Promise<PaymentOfSum[] | undefined> {
  const file = await selectFileByMessage(op, rail, messageName)
  const booked = file && (await findBookedPayments(op, file.id, amount))
  return booked?.map(({ kind, id, amount, part }) => ({ kind, itemId: id, amount, part }))
}

function nameOf(name: string, { part }: PaymentOfSum): string {
  return part === undefined ? name : `${name}/${part}`
}

function evidenceOf({ currency, bookedOn }: WaitingSum, name: string, one: PaymentOfSum): PaymentEvidence {
  const { direction, event, isMoneyOut } = PAYMENT_ENTRIES[one.kind]
  return {
    id: nameOf(name, one),
    source: 'STATEMENT',
    // The line was matched to the rail's account when it was read.
    account: null,
    kind: 'payment',
    event,
    subject: { direction, id: one.itemId },
    amount: isMoneyOut ? -one.amount : one.amount,
    currency,
    occurredAt: `${bookedOn}T00:00:00.000Z`,
  }
}
