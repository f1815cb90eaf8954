import { parseOptionalMoney } from './camt-details.ts'
import { type IsoReason, parseReasons } from './iso-reason.ts'
import { formatRaw, toUnreadPart, type UnreadPart } from './unread-part.ts'
import { type DocumentReader, findElement, findText, type XmlElement, type XmlRecord } from './xml-records.ts'

/** Reads a bank's status report about one of our files (pain.002). */

const GROUP = 'CstmrPmtStsRpt/OrgnlGrpInfAndSts'
const BATCH = 'CstmrPmtStsRpt/OrgnlPmtInfAndSts'
const PAYMENT = `${BATCH}/TxInfAndSts`
/** The depth of a payment's batch within the document and the message. */
const BATCH_DEPTH = 2

/** The status of a whole file, of one of its batches, or of one payment. */
export interface BankStatus {
  readonly level: 'FILE' | 'BATCH' | 'PAYMENT'
  /** The message id of our file. */
  readonly originalMessageId: string
  /** The batch in our file. Null for a status of the whole file. */
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
 * payments, each batch after its payments.
 */
export class Pain002Reader implements DocumentReader<StatusRecord> {
  readonly records: ReadonlySet<string> = new Set([GROUP, BATCH, PAYMENT])
  #originalMessageId: string | undefined
  #statuses = 0

  take({ path, element, within }: XmlRecord): readonly StatusRecord[] {
    this.#statuses += 1
    if (path === GROUP) this.#originalMessageId = findText(element, 'OrgnlMsgId')
    const originalMessageId = this.#originalMessageId
    if (originalMessageId === undefined)
      return [this.#toUnread('has a status without the id of its file', element)]
    const batch = path === PAYMENT ? within[BATCH_DEPTH] : element
    return [parseStatus(path, element, originalMessageId, findText(batch, 'OrgnlPmtInfId') ?? null)]
  }

  takeForeign({ element, within }: XmlRecord): readonly StatusRecord[] {
    // Elements outside a message, such as the document's signature, concern no payment.
    if (within.length < 2) return []
    return [this.#toUnread(`has an element of another namespace, ${element.name}`, element)]
  }

  end(): readonly StatusRecord[] {
    if (this.#statuses > 0) return []
    return [{ level: 'UNREAD', ...toUnreadPart('document', 'has no file status', '') }]
  }

  #toUnread(reason: string, element: XmlElement): StatusRecord {
    return { level: 'UNREAD', ...toUnreadPart(`status ${this.#statuses}`, reason, formatRaw(element)) }
  }
}

function parseStatus(
  path: string,
  element: XmlElement,
  originalMessageId: string,
  originalPaymentInformationId: string | null,
): BankStatus {
  const level = path === GROUP ? 'FILE' : path === BATCH ? 'BATCH' : 'PAYMENT'
  const status = findText(element, { FILE: 'GrpSts', BATCH: 'PmtInfSts', PAYMENT: 'TxSts' }[level]) ?? null
  const money = parseOptionalMoney(findElement(element, 'OrgnlTxRef/Amt/InstdAmt'))
  return {
    level,
    originalMessageId,
    originalPaymentInformationId,
    status,
    reasons: parseReasons(element, 'StsRsnInf'),
    instructionId: findText(element, 'OrgnlInstrId') ?? null,
    endToEndId: findText(element, 'OrgnlEndToEndId') ?? null,
    servicerReference: findText(element, 'AcctSvcrRef') ?? null,
    amount: money?.amount ?? null,
    currency: money?.currency ?? null,
  }
}
