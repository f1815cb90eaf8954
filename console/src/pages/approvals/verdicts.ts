import { countersign } from '../../data/client.ts'
import { executeBatch } from '../payouts/payout.ts'
import type { Approval } from './approval.ts'
import { awaitApproval } from './signature.ts'

/** One of the two possible decisions on a pending record. */
export interface Verdict {
  readonly label: string
  /** The start of the confirmation, before amount and payee: `Approved`. */
  readonly done: string
  readonly title: string
  /** The effect, in a sentence. */
  readonly text: string
  readonly needsReason: boolean
  /** False if the call takes no reason. */
  readonly takesReason?: false
  readonly act: (approval: Approval, reason: string) => PromiseLike<unknown>
}

const toNote = (text: string) => (text === '' ? {} : { note: text })

const toReason = (text: string) => (text === '' ? {} : { reason: text })

/** The call that approves each kind. Deposits have several choices: see `DepositButtons`. */
export const ALLOWS: Readonly<Record<Exclude<Approval['kind'], 'DEPOSIT'>, Verdict>> = {
  AGENT_ACTION: {
    label: 'Approve',
    done: 'Approved',
    title: 'Approve this payment of the agent?',
    text: 'Everything is checked again, and the payment is made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId, requestedBy }) =>
      awaitApproval(countersign.agents.approve(requestedBy?.id ?? '', objectId)),
  },
  INCOMING_PAYMENT: {
    label: 'Approve',
    done: 'Approved',
    title: 'Approve this payment?',
    text: 'The money is credited to the customer.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => awaitApproval(countersign.transactions.approve(objectId, {})),
  },
  SCREENING: {
    label: 'Release',
    done: 'Released',
    title: 'Release this hit?',
    text: 'You confirm that this is a false match. The payment continues, or the deposit is credited, as if the address were on no list.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.screenings.release(objectId, toNote(text)),
  },
  RAIL_EVENT: {
    label: 'Resolve',
    done: 'Resolved',
    title: 'Remove this report from the queue?',
    text: 'It moves no money. Enter your findings.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.railEvents.resolve(objectId, { note: text }),
  },
  PAYOUT_BATCH: {
    label: 'Approve',
    done: 'Approved',
    title: 'Pay this batch?',
    text: 'Your approval counts for its totals. The last required one pays all its payments.',
    needsReason: false,
    takesReason: false,
    act: async ({ objectId }) => executeBatch(await countersign.payoutBatches.get(objectId)),
  },
  PAYMENT_SCHEDULE: {
    label: 'Approve',
    done: 'Approved',
    title: 'Approve this schedule?',
    text: 'The last required approval makes it active: it then pays by its rule until it ends, is paused or canceled.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.paymentSchedules.approve(objectId),
  },
  OWN_ACCOUNT: {
    label: 'Approve account',
    done: 'Approved',
    title: 'Approve this account of the operator?',
    text: 'The last required approval makes it active: withdrawals and its sweep are paid to it, and money from it is own capital.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.ownAccounts.approve(objectId),
  },
  PLATFORM_WITHDRAWAL: {
    label: 'Approve withdrawal',
    done: 'Approved',
    title: 'Approve this withdrawal?',
    text: 'The last required approval sends the payment.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.withdrawals.approve(objectId),
  },
  ACCOUNT_CHANGE: {
    label: 'Apply details',
    done: 'Applied',
    title: 'Apply the reported details?',
    text: 'Confirm with the payee first, by contact details that are not in the report. Payments that begin afterwards go to the reported details.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.accountChanges.apply(objectId, { reason: text }),
  },
  TREASURY_MOVEMENT: {
    label: 'Approve movement',
    done: 'Approved',
    title: 'Send this money to cold storage?',
    text: 'The last required approval sends it from the treasury. Compare the address with your own record of it first.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryMovements.approve(objectId),
  },
  TREASURY_KEY: {
    label: 'Approve key',
    done: 'Approved',
    title: 'Rotate the key of this treasury?',
    text: 'The last required approval moves the treasury to the new address. The money of the old one follows.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryKeys.approve(objectId),
  },
  FUNDS_HOLD: {
    label: 'Lift',
    done: 'Lifted',
    title: 'Lift this hold?',
    text: 'The last required approval lifts it: the account can spend the money immediately. If the bank takes it back later, the missing part is owed to you.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.fundsHolds.lift(objectId, { reason: text }),
  },
}

/** The call that rejects each kind, or the reason why it cannot be rejected. */
export const REFUSES: Readonly<Record<Approval['kind'], Verdict | string>> = {
  RAIL_EVENT: 'A rail report is resolved, not rejected.',
  FUNDS_HOLD: 'A hold is not rejected: it is released after its banking days.',
  AGENT_ACTION: {
    label: 'Reject',
    done: 'Rejected',
    title: 'Reject the request of the agent?',
    text: 'The payment is not made, and the reserved amount is released.',
    needsReason: false,
    act: ({ objectId, requestedBy }, text) =>
      countersign.agents.reject(requestedBy?.id ?? '', objectId, toReason(text)),
  },
  INCOMING_PAYMENT: {
    label: 'Reject',
    done: 'Rejected',
    title: 'Reject this payment?',
    text: 'Its sender gets the money back, and sees your reason.',
    needsReason: false,
    act: ({ objectId }, text) => countersign.transactions.reject(objectId, toReason(text)),
  },
  SCREENING: {
    label: 'Reject',
    done: 'Rejected',
    title: 'Reject this hit?',
    text: 'A payment fails and its money is given back. A deposit stays in suspense: only you know whether it may be returned.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.screenings.reject(objectId, toNote(text)),
  },
  DEPOSIT: {
    label: 'Return to sender',
    done: 'Returned to its sender',
    title: 'Send this money back?',
    text: 'It goes back to its sender by the rail that it came by. This cannot be undone.',
    needsReason: false,
    act: ({ objectId }, text) => countersign.deposits.return(objectId, toNote(text)),
  },
  PAYOUT_BATCH: {
    label: 'Cancel batch',
    done: 'Canceled',
    title: 'Cancel this batch?',
    text: 'Its payments are not made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.payoutBatches.cancel(objectId),
  },
  PAYMENT_SCHEDULE: {
    label: 'Cancel schedule',
    done: 'Canceled',
    title: 'Cancel this schedule?',
    text: 'Its payments are not made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.paymentSchedules.cancel(objectId),
  },
  OWN_ACCOUNT: {
    label: 'Remove account',
    done: 'Removed',
    title: 'Remove this account?',
    text: 'No payments go to it.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.ownAccounts.remove(objectId),
  },
  PLATFORM_WITHDRAWAL: {
    label: 'Cancel withdrawal',
    done: 'Canceled',
    title: 'Cancel this withdrawal?',
    text: 'The payment is not made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.withdrawals.cancel(objectId),
  },
  ACCOUNT_CHANGE: {
    label: 'Dismiss report',
    done: 'Dismissed',
    title: 'Dismiss the reported details?',
    text: 'The account keeps its details, and payments to it begin again.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.accountChanges.dismiss(objectId, { reason: text }),
  },
  TREASURY_MOVEMENT: {
    label: 'Cancel movement',
    done: 'Canceled',
    title: 'Cancel this movement?',
    text: 'No money is moved.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryMovements.cancel(objectId),
  },
  TREASURY_KEY: {
    label: 'Cancel key',
    done: 'Canceled',
    title: 'Cancel this rotation?',
    text: 'The treasury keeps its key.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryKeys.cancel(objectId),
  },
}

/** Returns how to approve or reject a record, or why that is not possible here. */
export function getVerdict({ kind }: Approval, isAllowing: boolean): Verdict | string {
  if (!isAllowing) return REFUSES[kind]
  return kind === 'DEPOSIT' ? 'Choose an account for each deposit on its own page.' : ALLOWS[kind]
}

/** Returns why a member cannot vote again. Undefined if the member has not voted. */
export function describeEarlierVote({ votes, kind }: Approval, memberId: string): string | undefined {
  return kind !== 'DEPOSIT' && votes.some((vote) => vote.memberId === memberId)
    ? 'You have approved it. It waits for others.'
    : undefined
}
