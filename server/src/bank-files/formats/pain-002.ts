import { smallestUnits } from './decimal-amounts.ts'
import { type IsoReason, reasonsOf } from './iso-reason.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { readXmlRecords, textBelow, type XmlElement, type XmlRecord } from './xml-records.ts'

/** What a bank says of a file that it was given: pain.002.001.10, and .03, which many still send. */

const GROUP = 'CstmrPmtStsRpt/OrgnlGrpInfAndSts'
const BATCH = 'CstmrPmtStsRpt/OrgnlPmtInfAndSts'
const PAYMENT = `${BATCH}/TxInfAndSts`

export const PAIN_002_NAMESPACES = ['10', '03'].map(
  (version) => `urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}`,
)

/** A status of a whole file, of one of its batches, or of one payment. */
export interface BankStatus {
  readonly level: 'FILE' | 'BATCH' | 'PAYMENT'
  /** The message id of the file that it is about. */
  readonly originalMessageId: string
  /** As the bank says it, such as `ACSC` or `RJCT`; null where it says something of the payments only. */
  readonly status: string | null
  readonly reasons: readonly IsoReason[]
  readonly instructionId: string | null
  readonly endToEndId: string | null
  /** The bank's own name of the payment. */
  readonly servicerReference: string | null
  /** In smallest units, where the bank repeats it. */
  readonly amount: bigint | null
  readonly currency: string | null
}

/**
 * Reads a status file in its order, in flat memory: the file's status, then those of payments, each batch's after its
 * payments. Throws UnreadableFile; use it with `readTwice`.
 */
export async function* readPain002(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BankStatus> {
  const paths = { namespaces: PAIN_002_NAMESPACES, records: [GROUP, BATCH, PAYMENT] }
  let originalMessageId: string | undefined
  yield* readXmlRecords(bytes, paths, (record) => {
    if (record.path === GROUP) originalMessageId = textBelow(record.element, 'OrgnlMsgId')
    if (originalMessageId === undefined)
      throw new UnreadableFile('has a status without the id of the file that it is about')
    return statusOf(record, originalMessageId)
  })
  if (originalMessageId === undefined) throw new UnreadableFile('has no status of a file')
}

function statusOf({ path, element }: XmlRecord, originalMessageId: string): BankStatus {
  const level = path === GROUP ? 'FILE' : path === BATCH ? 'BATCH' : 'PAYMENT'
  const status = textBelow(element, { FILE: 'GrpSts', BATCH: 'PmtInfSts', PAYMENT: 'TxSts' }[level]) ?? null
  const [amount, currency] = amountOf(element)
  return {
    level,
    originalMessageId,
    status,
    reasons: reasonsOf(element, 'StsRsnInf'),
    instructionId: textBelow(element, 'OrgnlInstrId') ?? null,
    endToEndId: textBelow(element, 'OrgnlEndToEndId') ?? null,
    servicerReference: textBelow(element, 'AcctSvcrRef') ?? null,
    amount,
    currency,
  }
}

function amountOf(element: XmlElement): [bigint | null, string | null] {
  const found = element.children
    .find(({ name }) => name === 'OrgnlTxRef')
    ?.children.find(({ name }) => name === 'Amt')
    ?.children.find(({ name }) => name === 'InstdAmt')
  const currency = found?.attributes.Ccy
  return found && currency ? [smallestUnits(found.text, currency), currency] : [null, null]
}
