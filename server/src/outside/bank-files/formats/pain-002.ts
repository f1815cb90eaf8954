import { optionalMoney } from './camt-details.ts'
import { type IsoReason, reasonsOf } from './iso-reason.ts'
import { rawOf, type UnreadPart, unreadPart } from './unread-part.ts'
import { type DocumentReader, findBelow, textBelow, type XmlElement, type XmlRecord } from './xml-records.ts'

/** Reads a bank's status report about a file of ours (pain.002). */

const GROUP = 'CstmrPmtStsRpt/OrgnlGrpInfAndSts'
const BATCH = 'CstmrPmtStsRpt/OrgnlPmtInfAndSts'
const PAYMENT = `${BATCH}/TxInfAndSts`
/** The depth of a payment's batch within the document and the message. */
const BATCH_DEPTH = 2

/** The status of a whole file, of one of its batches, or of one payment. */
export interface BankStatus {
  readonly level: 'FILE' | 'BATCH' | 'PAYMENT'
  /** The message id of the file concerned. */
  readonly originalMessageId: string
  /** The batch of that file. Null for a status of the whole file. */
  readonly originalPaymentInformationId: string | null
  /** The bank's code, such as `ACSC` or `RJCT`. Null if only the payments have a status. */
  readonly status: string | null
  readonly reasons: readonly IsoReason[]
  readonly instructionId: string | null
  readonly endToEndId: string | null
  /** The bank's reference for the payment. */
  readonly servicerReference: string | null
  /** In smallest units, if the bank repeats it. */
  readonly amount: bigint | null
  readonly currency: string | null
}

export type StatusRecord = BankStatus | ({ readonly level: 'UNREAD' } & UnreadPart)

/**
 * Reads a status report in order and in constant memory: the file's status, then the statuses of its
 * payments, with each batch after its payments.
 */
export class Pain002Reader implements DocumentReader<StatusRecord> {
  readonly records: ReadonlySet<string> = new Set([GROUP, BATCH, PAYMENT])
  #originalMessageId: string | undefined
  #statuses = 0

  take({ path, element, within }: XmlRecord): readonly StatusRecord[] {
    this.#statuses += 1
    if (path === GROUP) this.#originalMessageId = textBelow(element, 'OrgnlMsgId')
    const originalMessageId = this.#originalMessageId
    if (originalMessageId === undefined)
      return [this.#toUnread('has a status without the id of the file that it is about', element)]
    const batch = path === PAYMENT ? within[BATCH_DEPTH] : element
    return [statusOf(path, element, originalMessageId, textBelow(batch, 'OrgnlPmtInfId') ?? null)]
  }

  takeForeign({ element, within }: XmlRecord): readonly StatusRecord[] {
    // Elements outside a message, such as the document's signature, concern no payment.
    if (within.length < 2) return []
    return [this.#toUnread(`has an element of another namespace, ${element.name}`, element)]
  }

  end(): readonly StatusRecord[] {
    if (this.#statuses > 0) return []
    return [{ level: 'UNREAD', ...unreadPart('document', 'has no status of a file', '') }]
  }

  #toUnread(reason: string, element: XmlElement): StatusRecord {
    return { level: 'UNREAD', ...unreadPart(`status ${this.#statuses}`, reason, rawOf(element)) }
  }
}

function statusOf(
  path: string,
  element: XmlElement,
  originalMessageId: string,
  originalPaymentInformationId: string | null,
): BankStatus {
  const level = path === GROUP ? 'FILE' : path === BATCH ? 'BATCH' : 'PAYMENT'
  const status = textBelow(element, { FILE: 'GrpSts', BATCH: 'PmtInfSts', PAYMENT: 'TxSts' }[level]) ?? null
  const money = optionalMoney(findBelow(element, 'OrgnlTxRef/Amt/InstdAmt'))
  return {
    level,
    originalMessageId,
    originalPaymentInformationId,
    status,
    reasons: reasonsOf(element, 'StsRsnInf'),
    instructionId: textBelow(element, 'OrgnlInstrId') ?? null,
    endToEndId: textBelow(element, 'OrgnlEndToEndId') ?? null,
    servicerReference: textBelow(element, 'AcctSvcrRef') ?? null,
    amount: money?.amount ?? null,
    currency: money?.currency ?? null,
  }
}
