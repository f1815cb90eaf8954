import { crc32, deflateRawSync } from 'node:zlib'
import { readAch } from './ach-reader.ts'
import { writeRecord } from './ach-records.ts'
import { type AchBatch, type AchFile, type AchPayment, writeAch } from './ach-writer.ts'
import type { BankRecord } from './camt.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import { readTwice } from './read-twice.ts'
import { UnreadableFile } from './unreadable-file.ts'

/**
 * Generates statements as banks write them, for tests and benchmarks: in version .08 and in the older version
 * .02.
 */

interface SampleTransaction {
  readonly endToEndId?: string
  readonly instructionId?: string
  readonly amount: string
  readonly debtor?: string
  readonly creditor?: string
  readonly text?: string
  readonly returnReason?: string
}

export interface SampleEntry {
  readonly amount: string
  readonly direction: 'CRDT' | 'DBIT'
  readonly status?: string
  readonly isReversal?: boolean
  readonly batch?: string
  /** The bank's reference for the entry. */
  readonly servicerReference?: string
  readonly transactions?: readonly SampleTransaction[]
}

export interface SampleStatement {
  readonly version?: '08' | '02'
  readonly kind?: '053' | '054'
  readonly id?: string
  readonly balances?: readonly [opening: string, closing: string]
  readonly entries: readonly SampleEntry[]
}

/** Generates a whole file with one statement or advice. */
export function camtFile({
  version = '08',
  kind = '053',
  id = 'STMT-1',
  balances,
  entries,
}: SampleStatement): string {
  const [message, statement] =
    kind === '053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn']
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${kind}.001.${version}"><${message}>
<GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-03-03T05:00:00+01:00</CreDtTm></GrpHdr>
<${statement}><Id>${id}</Id><ElctrncSeqNb>61</ElctrncSeqNb><CreDtTm>2026-03-03T05:00:00+01:00</CreDtTm>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></Acct>
${balances ? `${balance('OPBD', balances[0])}${balance('CLBD', balances[1])}` : ''}
${entries.map((entry) => camtEntry(entry, version)).join('\n')}
</${statement}></${message}></Document>
`
}

/** Formats an amount with two decimals: 12550 is `125.50`. */
export const formatCents = (cents: bigint) => formatDecimalAmount(cents, 'EUR')

export const parseCents = (amount: string) => BigInt(amount.replace('.', ''))

/** The balance of our account at a bank, which continues from statement to statement. */
export class BankBalance {
  cents = 0n

  /** Books entries. Returns the balances before and after, for the statement. */
  book(entries: readonly SampleEntry[]): readonly [opening: string, closing: string] {
    const opening = this.cents
    for (const { amount, direction } of entries)
      this.cents += direction === 'CRDT' ? parseCents(amount) : -parseCents(amount)
    return [formatCents(opening), formatCents(this.cents)]
  }
}

/** Generates a balance from a signed amount. */
export function balance(type: string, amount: string): string {
  const direction = amount.startsWith('-') ? 'DBIT' : 'CRDT'
  return `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount.replace('-', '')}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>2026-03-02</Dt></Dt></Bal>`
}

export function camtEntry(
  {
    amount,
    direction,
    status = 'BOOK',
    isReversal,
    batch,
    servicerReference = 'SVC-1',
    transactions = [],
  }: SampleEntry,
  version: '08' | '02',
): string {
  const details = transactions.map((one) => camtTransaction(one, direction, version)).join('')
  const batchElement = batch === undefined ? '' : `<Btch><PmtInfId>${batch}</PmtInfId></Btch>`
  return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${isReversal ? '<RvslInd>true</RvslInd>' : ''}<Sts>${version === '08' ? `<Cd>${status}</Cd>` : status}</Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt><ValDt><Dt>2026-03-02</Dt></ValDt><AcctSvcrRef>${servicerReference}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>${details || batchElement ? `<NtryDtls>${batchElement}${details}</NtryDtls>` : ''}<AddtlNtryInf>SEPA</AddtlNtryInf></Ntry>`
}

function camtTransaction(
  {
    endToEndId = 'NOTPROVIDED',
    instructionId,
    amount,
    debtor,
    creditor,
    text,
    returnReason,
  }: SampleTransaction,
  direction: string,
  version: '08' | '02',
): string {
  const isNew = version === '08'
  const name = (text: string) => (isNew ? `<Pty><Nm>${text}</Nm></Pty>` : `<Nm>${text}</Nm>`)
  const party = (role: string, party: string | undefined, iban: string) =>
    party === undefined
      ? ''
      : `<${role}>${name(party)}</${role}><${role}Acct><Id><IBAN>${iban}</IBAN></Id></${role}Acct>`
  const money = isNew
    ? `<Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>`
    : `<AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls>`
  const bic = isNew ? '<BICFI>BREXPLPWXXX</BICFI>' : '<BIC>BREXPLPWXXX</BIC>'
  const agent =
    debtor === undefined ? '' : `<RltdAgts><DbtrAgt><FinInstnId>${bic}</FinInstnId></DbtrAgt></RltdAgts>`
  const returned =
    returnReason === undefined
      ? ''
      : `<RtrInf><Rsn><Cd>${returnReason}</Cd></Rsn><AddtlInf>closed</AddtlInf></RtrInf>`
  const instruction = instructionId === undefined ? '' : `<InstrId>${instructionId}</InstrId>`
  const remittance = text === undefined ? '' : `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>`
  return `<TxDtls><Refs>${instruction}<EndToEndId>${endToEndId}</EndToEndId></Refs>${money}<RltdPties>${party('Dbtr', debtor, 'PL61109010140000071219812874')}${party('Cdtr', creditor, 'FR1420041010050500013M02606')}</RltdPties>${agent}${remittance}${returned}</TxDtls>`
}

/** Reads our SEPA files as a bank does, and generates its status reports (pain.002) about them. */

/** A payment or a direct debit in one of our files. */
export interface SubmittedPayment {
  readonly instructionId: string
  readonly endToEndId: string
  readonly amount: string
  /** The name of the counterparty. */
  readonly name: string
}

export const listPayments = (text: string): SubmittedPayment[] =>
  [...text.matchAll(/<(CdtTrfTxInf|DrctDbtTxInf)>.*?<\/\1>/g)].map(([element]) => ({
    instructionId: readElement(element, 'InstrId'),
    endToEndId: readElement(element, 'EndToEndId'),
    amount: /<InstdAmt Ccy="\w+">(.*?)</.exec(element)?.[1] ?? '',
    name: readElement(element, 'Nm'),
  }))

/** Reads the first element with this name, or an empty string. */
export const readElement = (text: string, name: string) =>
  new RegExp(`<${name}>(.*?)</${name}>`).exec(text)?.[1] ?? ''

/** Reads the id of one of our files. */
export const readMessageId = (text: string) => readElement(text, 'MsgId')

/** Generates a status report about one of our files, its only batch, or payments in that batch. */
export function buildStatusReport(
  messageId: string,
  {
    id = 'S',
    ofFile = '',
    ofBatch,
  }: {
    readonly id?: string
    /** The elements with the status of the file. */
    readonly ofFile?: string
    /** The elements with the status of the batch and of its payments. */
    readonly ofBatch?: string
  },
): string {
  const batch =
    ofBatch === undefined
      ? ''
      : `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}</OrgnlPmtInfId>${ofBatch}</OrgnlPmtInfAndSts>`
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>${id}</MsgId></GrpHdr><OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId>${ofFile}</OrgnlGrpInfAndSts>${batch}</CstmrPmtStsRpt></Document>`
}

/** Generates the status of a payment, which the bank names by one of its ids or both. */
export function buildPaymentStatus(
  { instructionId, endToEndId }: { readonly instructionId?: string; readonly endToEndId?: string },
  status: string,
  reason = '',
): string {
  const instruction = instructionId === undefined ? '' : `<OrgnlInstrId>${instructionId}</OrgnlInstrId>`
  const endToEnd = endToEndId === undefined ? '' : `<OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId>`
  return `<TxInfAndSts>${instruction}${endToEnd}<TxSts>${status}</TxSts>${reason}</TxInfAndSts>`
}

export const buildRejection = (payment: Parameters<typeof buildPaymentStatus>[0], code: string) =>
  buildPaymentStatus(payment, 'RJCT', `<StsRsnInf><Rsn><Cd>${code}</Cd></Rsn></StsRsnInf>`)

/** Yields the bytes of a file in small chunks, so that records are split anywhere. */
export async function* bytesOf(text: string | Uint8Array, pieceBytes = 61): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

export async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

export async function joinText(pieces: AsyncIterable<string>): Promise<string> {
  return (await all(pieces)).join('')
}

/** Generates NACHA files as our writer creates them, and as a bank returns them. */

export const FILE: AchFile = {
  originator: {
    destination: '021000021',
    destinationName: 'JPMORGAN CHASE',
    origin: '1123456789',
    originName: 'ACME PAYMENTS',
    companyName: 'ACME PAYMENTS',
    companyId: '1123456789',
    originatingBank: '02100002',
    description: 'PAYOUT',
  },
  date: '2026-03-02',
  time: '09:30',
  modifier: 'A',
  reference: '00000001',
}
export const PAYMENT: AchPayment = {
  traceSequence: 1,
  routingNumber: '011401533',
  account: '1234567890',
  accountKind: 'CHECKING',
  amount: 125_050n,
  individualId: 'CS0A1B2C3D4E5F',
  name: 'Grâce Hopper',
  remittanceInformation: 'Invoice 7',
}
export interface SampleBatch extends Omit<AchBatch, 'payments'> {
  readonly payments: readonly AchPayment[]
}
export const BATCH: SampleBatch = {
  entryClass: 'PPD',
  direction: 'CREDIT',
  effectiveDate: '2026-03-03',
  payments: [PAYMENT],
}

export const write = (batches: readonly SampleBatch[] = [BATCH]) =>
  joinText(
    writeAch(
      FILE,
      batches.map((batch) => ({ ...batch, payments: each(batch.payments) })),
    ),
  )
export const readAll = (text: string | Uint8Array, pieceBytes?: number) =>
  all(readTwice(() => bytesOf(text, pieceBytes), readAch))
/** Reads the records after the file header. */
export const read = async (text: string | Uint8Array, pieceBytes?: number) =>
  (await readAll(text, pieceBytes)).flatMap((record) => (record.type === 'head' ? [] : [record]))

/** Generates a file as a bank returns it: our entries with the bank's addenda. */
export async function buildReturnedFile(
  addenda: string,
  change: (line: string) => string = (line) => line,
): Promise<string> {
  return (await write())
    .replace(/^705.*$/m, addenda)
    .replace(/^6.*$/m, change)
    .replace('PPDPAYOUT', 'PPDRETURN')
}
export const RETURNED = writeRecord('returnAddenda', {
  type: '99',
  reason: 'R03',
  originalTrace: '021000020000001',
  originalReceivingBank: '01140153',
  information: 'NO SUCH NAME',
  trace: '011401530000009',
})
export const CHANGED = writeRecord('changeAddenda', {
  type: '98',
  reason: 'C01',
  originalTrace: '021000020000001',
  originalReceivingBank: '01140153',
  corrected: '1918171614',
  trace: '011401530000010',
})

/** Generates ZIP files as EBICS servers write them, for tests. */

export interface SampleZipFile {
  readonly name: string
  readonly content: string | Uint8Array
  /** Written in place of the correct checksum. */
  readonly crc?: number
  /** Written in place of the correct size. */
  readonly size?: number
}

export function buildZip(files: readonly SampleZipFile[]): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, crc, size } of files) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(8, 4)
    header.writeUInt32LE(crc ?? crc32(bytes), 10)
    header.writeUInt32LE(packed.length, 14)
    header.writeUInt32LE(size ?? bytes.length, 18)
    header.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), header, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), header, place, Buffer.from(name)]))
    pieces.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(
    directory.reduce((sum, one) => sum + one.length, 0),
    8,
  )
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...pieces, ...directory, Buffer.from('PK\u0005\u0006'), end])
}

type Reader = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<BankRecord>

/**
 * Creates functions that read whole files in a format, for tests: `read` returns the records, and `refusal`
 * the message of the error that refuses the file.
 */
export function readingWith(reader: Reader) {
  const read = (text: string | Uint8Array) => all(readTwice(() => bytesOf(text), reader))
  const refusal = (text: string) =>
    read(text).then(
      () => 'is read',
      (error: unknown) => (error instanceof UnreadableFile ? error.message : Promise.reject(error)),
    )
  return { read, refusal }
}

export const entriesOf = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'entry' ? [one.entry] : []))
export const transactionsOf = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'transaction' ? [one.transaction] : []))
export const pickStatements = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'statement' ? [one] : []))
export const pickUnread = (records: readonly BankRecord[]) =>
  records.flatMap((one) => (one.type === 'unread' ? [one] : []))
