import { countersign } from '../../data/client.ts'
import { executeBatch } from '../payouts/payout.ts'
import type { Approval } from './approval.ts'
import { awaitApproval } from './signature.ts'

/** One of the two possible decisions on a pending record. */
export interface Verdict {
  readonly label: string
  /** The start of the confirmation, before amount and payee: `Approved`. */
  readonly pastTense: string
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
export const APPROVALS: Readonly<Record<Exclude<Approval['kind'], 'DEPOSIT'>, Verdict>> = {
  AGENT_ACTION: {
    label: 'Approve',
    pastTense: 'Approved',
    title: "Approve this agent's payment?",
    text: 'All checks run again, and then the payment is made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId, requestedBy }) =>
      awaitApproval(countersign.agents.approve(requestedBy?.id ?? '', objectId)),
  },
  INCOMING_PAYMENT: {
    label: 'Approve',
    pastTense: 'Approved',
    title: 'Approve this payment?',
    text: 'The money is credited to the customer.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => awaitApproval(countersign.transactions.approve(objectId, {})),
  },
  SCREENING: {
    label: 'Release',
    pastTense: 'Released',
    title: 'Release this hit?',
    text: 'You confirm that this is a false match. The payment continues, or the deposit is credited, as if the address were not listed.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.screenings.release(objectId, toNote(text)),
  },
  RAIL_EVENT: {
    label: 'Resolve',
    pastTense: 'Resolved',
    title: 'Remove this report from the queue?',
    text: 'No money is moved. Enter your findings.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.railEvents.resolve(objectId, { note: text }),
  },
  PAYOUT_BATCH: {
    label: 'Approve',
    pastTense: 'Approved',
    title: 'Pay this batch?',
    text: 'You approve the totals shown here. The last required approval pays all payments of the batch.',
    needsReason: false,
    takesReason: false,
    act: async ({ objectId }) => executeBatch(await countersign.payoutBatches.get(objectId)),
  },
  PAYMENT_SCHEDULE: {
    label: 'Approve',
    pastTense: 'Approved',
    title: 'Approve this schedule?',
    text: 'The last required approval activates it. It then pays according to its rule until it ends, is paused or is canceled.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.paymentSchedules.approve(objectId),
  },
  OWN_ACCOUNT: {
    label: 'Approve account',
    pastTense: 'Approved',
    title: 'Approve this operator account?',
    text: 'The last required approval activates it. It can then receive withdrawals and sweeps, and money from it counts as own capital.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.ownAccounts.approve(objectId),
  },
  PLATFORM_WITHDRAWAL: {
    label: 'Approve withdrawal',
    pastTense: 'Approved',
    title: 'Approve this withdrawal?',
    text: 'The last required approval sends the payment.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.withdrawals.approve(objectId),
  },
  ACCOUNT_CHANGE: {
    label: 'Apply details',
    pastTense: 'Applied',
    title: 'Apply the reported details?',
    text: 'Confirm with the payee first, using contact details that are not in the report. New payments will go to the reported details.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.accountChanges.apply(objectId, { reason: text }),
  },
  TREASURY_MOVEMENT: {
    label: 'Approve movement',
    pastTense: 'Approved',
    title: 'Send this money to cold storage?',
    text: 'The last required approval sends it from the treasury. Compare the address with your own record of it first.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryMovements.approve(objectId),
  },
  TREASURY_KEY: {
    label: 'Approve key',
    pastTense: 'Approved',
    title: 'Rotate the key of this treasury?',
    text: 'The last required approval moves the treasury to the new address. The money at the old address follows.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryKeys.approve(objectId),
  },
  FUNDS_HOLD: {
    label: 'Lift',
    pastTense: 'Lifted',
    title: 'Lift this hold?',
    text: 'After the last required approval, the account can spend the money immediately. If the bank takes it back later, the customer owes you the missing amount.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.fundsHolds.lift(objectId, { reason: text }),
  },
}

/** The call that rejects each kind, or the reason why it cannot be rejected. */
export const REJECTIONS: Readonly<Record<Approval['kind'], Verdict | string>> = {
  RAIL_EVENT: 'A rail report cannot be rejected. Resolve it instead.',
  FUNDS_HOLD: 'A hold cannot be rejected. It is released after its banking days.',
  AGENT_ACTION: {
    label: 'Reject',
    pastTense: 'Rejected',
    title: "Reject this agent's request?",
    text: 'The payment is not made, and the reserved amount is released.',
    needsReason: false,
    act: ({ objectId, requestedBy }, text) =>
      countersign.agents.reject(requestedBy?.id ?? '', objectId, toReason(text)),
  },
  INCOMING_PAYMENT: {
    label: 'Reject',
    pastTense: 'Rejected',
    title: 'Reject this payment?',
    text: 'The sender gets the money back and sees your reason.',
    needsReason: false,
    act: ({ objectId }, text) => countersign.transactions.reject(objectId, toReason(text)),
  },
  SCREENING: {
    label: 'Reject',
    pastTense: 'Rejected',
    title: 'Reject this hit?',
    text: 'A payment fails and is refunded. A deposit stays in suspense, because only you know whether it may be returned.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.screenings.reject(objectId, toNote(text)),
  },
  DEPOSIT: {
    label: 'Return to sender',
    pastTense: 'Returned to sender',
    title: 'Send this money back?',
    text: 'The money goes back to its sender through the same rail. This cannot be undone.',
    needsReason: false,
    act: ({ objectId }, text) => countersign.deposits.return(objectId, toNote(text)),
  },
  PAYOUT_BATCH: {
    label: 'Cancel batch',
    pastTense: 'Canceled',
    title: 'Cancel this batch?',
    text: 'Its payments will not be made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.payoutBatches.cancel(objectId),
  },
  PAYMENT_SCHEDULE: {
    label: 'Cancel schedule',
    pastTense: 'Canceled',
    title: 'Cancel this schedule?',
    text: 'Its payments will not be made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.paymentSchedules.cancel(objectId),
  },
  OWN_ACCOUNT: {
    label: 'Remove account',
    pastTense: 'Removed',
    title: 'Remove this account?',
    text: 'It will not receive any payments.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.ownAccounts.remove(objectId),
  },
  PLATFORM_WITHDRAWAL: {
    label: 'Cancel withdrawal',
    pastTense: 'Canceled',
    title: 'Cancel this withdrawal?',
    text: 'The payment is not made.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.withdrawals.cancel(objectId),
  },
  ACCOUNT_CHANGE: {
    label: 'Dismiss report',
    pastTense: 'Dismissed',
    title: 'Dismiss the reported details?',
    text: 'The account keeps its current details, and payments to it resume.',
    needsReason: true,
    act: ({ objectId }, text) => countersign.accountChanges.dismiss(objectId, { reason: text }),
  },
  TREASURY_MOVEMENT: {
    label: 'Cancel movement',
    pastTense: 'Canceled',
    title: 'Cancel this movement?',
    text: 'No money is moved.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryMovements.cancel(objectId),
  },
  TREASURY_KEY: {
    label: 'Cancel key',
    pastTense: 'Canceled',
    title: 'Cancel this rotation?',
    text: 'The treasury keeps its key.',
    needsReason: false,
    takesReason: false,
    act: ({ objectId }) => countersign.treasuryKeys.cancel(objectId),
  },
}

/** Returns how to approve or reject a record, or why that is not possible here. */
export function getVerdict({ kind }: Approval, isAllowing: boolean): Verdict | string {
  if (!isAllowing) return REJECTIONS[kind]
  return kind === 'DEPOSIT' ? 'Deposits are assigned one by one, on their own pages.' : APPROVALS[kind]
}

/** Returns why a member cannot vote again. Undefined if the member has not voted. */
export function describeEarlierVote({ votes, kind }: Approval, memberId: string): string | undefined {
  return kind !== 'DEPOSIT' && votes.some((vote) => vote.memberId === memberId)
    ? 'You have already approved this. It is waiting for other members.'
    : undefined
}
