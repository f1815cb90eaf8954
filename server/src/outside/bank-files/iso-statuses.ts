import type { RailPaymentEvent } from '../../storage/rows/states.ts'
import type { BeneficiaryStatus } from '../../storage/rows/stored-documents.ts'

/** The meaning of an ISO 20022 status, and its effect on a payment. */
export interface IsoStatus {
  readonly words: string
  /** Null if the status itself decides nothing, such as `PART`, where each payment has its own status. */
  readonly event: RailPaymentEvent | null
  /** True if the payment is stuck until a person asks the bank or confirms it. */
  readonly needsPerson?: true
  /** The result of a verification of the payee. */
  readonly payeeCheck?: BeneficiaryStatus
}

const toAccepted = (words: string): IsoStatus => ({ words, event: 'accept' })

/**
 * ISO 20022's external code sets for the status of payments, groups and batches. `ACSC` from our own bank
 * means settled on our account, `ACCC` settled on the creditor's account. After `ACWP` and `BLCK`, the
 * creditor's bank has the payment but has not credited it; neither is final, and `BLCK` is followed by
 * neither a credit nor a return, so a person must ask.
 */
export const ISO_STATUSES: Readonly<Record<string, IsoStatus>> = {
  RCVD: toAccepted('The bank has received it'),
  PDNG: toAccepted('It is pending, further checks follow'),
  PATC: toAccepted('Some of the signatures that it needs are there, others are missing'),
  ACTC: toAccepted('Its signature and its form are right'),
  ACCP: toAccepted('The customer profile was checked'),
  ACFC: toAccepted('The funds were checked'),
  ACFW: toAccepted('The funds were checked, and a confirmation of the customer is awaited'),
  ACSP: toAccepted('It is accepted for execution'),
  ACWC: toAccepted('It is accepted with a change, such as another date'),
  ACPD: toAccepted('It has left the bank, and the clearing has accepted it'),
  ACWP: toAccepted('The creditor’s bank has accepted it and not yet posted it'),
  ACIS: toAccepted('A cheque was issued, and is not yet deposited or cleared'),
  PRES: toAccepted('The request for payment was presented to the debtor'),
  RCVC: { ...toAccepted('The names of the payees match'), payeeCheck: 'MATCHED' },
  RVMC: {
    ...toAccepted('The name of the payee matches closely: the bank may await a confirmation'),
    needsPerson: true,
    payeeCheck: 'PARTIAL_MATCH',
  },
  RVNM: {
    ...toAccepted('The name of the payee does not match: the bank may await a confirmation'),
    needsPerson: true,
    payeeCheck: 'NOT_MATCHED',
  },
  RVCM: {
    ...toAccepted('Names of payees do not match: the bank may await a confirmation'),
    needsPerson: true,
  },
  RVNA: toAccepted('The name of the payee could not be checked'),
  RVNC: toAccepted('The names of payees are still being checked'),
  ACSC: { words: 'It is settled', event: 'deliver' },
  ACCC: { words: 'The creditor’s account is credited', event: 'deliver' },
  CPUC: { words: 'The creditor has picked up the cash', event: 'deliver' },
  RJCT: { words: 'It was rejected', event: 'fail' },
  CANC: { words: 'It was cancelled', event: 'cancel' },
  PART: { words: 'Some of the payments are accepted', event: null },
  BLCK: {
    words: 'The creditor’s bank blocks it: it is neither credited nor returned',
    event: null,
    needsPerson: true,
  },
}

/** Undefined for a code that is in no code set. */
export function isoStatus(code: string): IsoStatus | undefined {
  return Object.hasOwn(ISO_STATUSES, code) ? ISO_STATUSES[code] : undefined
}
