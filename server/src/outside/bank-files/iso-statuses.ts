import type { RailPaymentEvent } from '../../storage/rows/states.ts'
import type { BeneficiaryStatus } from '../../storage/rows/stored-documents.ts'

/** The meaning of an ISO 20022 status, and its effect on a payment. */
export interface IsoStatus {
  readonly label: string
  /** Null if the status itself decides nothing, such as `PART`, where each payment has its own status. */
  readonly event: RailPaymentEvent | null
  /** True if the payment is stuck until an operator contacts the bank or confirms it. */
  readonly needsPerson?: true
  /** The result of a verification of the payee. */
  readonly payeeCheck?: BeneficiaryStatus
}

const toAccepted = (label: string): IsoStatus => ({ label, event: 'accept' })

/**
 * ISO 20022's external code sets for the status of payments, groups and batches. `ACSC` means settled on our
 * account, `ACCC` on the creditor's account. After `ACWP` and `BLCK`, the creditor's bank has the payment
 * without crediting it; a `BLCK` payment is neither credited nor returned later, so an operator must contact
 * the bank.
 */
export const ISO_STATUSES: Readonly<Record<string, IsoStatus>> = {
  RCVD: toAccepted('The bank has received the payment'),
  PDNG: toAccepted('The payment is pending until further checks'),
  PATC: toAccepted('Some of the required signatures are missing'),
  ACTC: toAccepted('The signature and the format are valid'),
  ACCP: toAccepted('The customer profile was checked'),
  ACFC: toAccepted('The funds were checked'),
  ACFW: toAccepted('The funds were checked, and the customer must confirm the payment'),
  ACSP: toAccepted('The payment is accepted for execution'),
  ACWC: toAccepted('The payment is accepted with a change, such as another date'),
  ACPD: toAccepted('The payment has left the bank, and the clearing has accepted it'),
  ACWP: toAccepted('The creditor’s bank has accepted the payment, but not posted it yet'),
  ACIS: toAccepted('A check was issued, but not deposited or cleared yet'),
  PRES: toAccepted('The request for payment was presented to the debtor'),
  RCVC: { ...toAccepted('The payee names match'), payeeCheck: 'MATCHED' },
  RVMC: {
    ...toAccepted('The payee’s name matches closely: the bank may wait for a confirmation'),
    needsPerson: true,
    payeeCheck: 'PARTIAL_MATCH',
  },
  RVNM: {
    ...toAccepted('The payee’s name does not match: the bank may wait for a confirmation'),
    needsPerson: true,
    payeeCheck: 'NOT_MATCHED',
  },
  RVCM: {
    ...toAccepted('Some payee names do not match: the bank may wait for a confirmation'),
    needsPerson: true,
  },
  RVNA: toAccepted('The payee’s name could not be checked'),
  RVNC: toAccepted('The payee names are still being checked'),
  ACSC: { label: 'The payment is settled', event: 'deliver' },
  ACCC: { label: 'The creditor’s account is credited', event: 'deliver' },
  CPUC: { label: 'The creditor has picked up the cash', event: 'deliver' },
  RJCT: { label: 'The payment was rejected', event: 'fail' },
  CANC: { label: 'The payment was canceled', event: 'cancel' },
  PART: { label: 'Some of the payments are accepted', event: null },
  BLCK: {
    label: 'The creditor’s bank has blocked the payment: it is neither credited nor returned',
    event: null,
    needsPerson: true,
  },
}

/** Finds the meaning of a status code. Undefined for an unknown code. */
export function findIsoStatus(code: string): IsoStatus | undefined {
  return Object.hasOwn(ISO_STATUSES, code) ? ISO_STATUSES[code] : undefined
}
