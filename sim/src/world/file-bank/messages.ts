/**
 * Formats and parses files as banks do: camt.053 statements, camt.054 advices and pain.002 status reports.
 */

/** A payment within an entry. Amounts are in cents and have no sign. */
export interface Detail {
  /** Omitted by banks that state only the instructed amount, or no amount. */
  readonly amount?: bigint
  readonly instructed?: bigint
  readonly instructionId?: string
  readonly endToEndId?: string
  readonly debtor?: { readonly name: string; readonly iban: string }
  readonly text?: string
  /** The creditor's structured reference. */
  readonly structured?: string
  readonly additional?: string
  readonly returnReason?: string
}

/** A booked entry. */
export interface Entry {
  /** In cents. Positive for incoming money. */
  readonly cents: bigint
  /** Domain, family and subfamily of the ISO 20022 transaction code. */
  readonly code: readonly [string, string, string]
  readonly servicerReference?: string
  /** `NtryRef`. */
  readonly reference?: string
  /** The id of our payment file that the entry books. */
  readonly batch?: string
  /** The fee that the bank has deducted. */
  readonly charge?: bigint
  readonly details: readonly Detail[]
  readonly text?: string
  /** True for an entry whose booking date does not exist in any calendar. */
  readonly isUnreadable?: true
}

/** A statement or an advice, or a page of either. */
export interface Sheet {
  readonly kind: 'STATEMENT' | 'ADVICE'
  readonly id: string
  readonly iban: string
  readonly currency: string
  readonly date: string
  readonly opening?: bigint
  readonly closing?: bigint
  readonly page?: { readonly number: number; readonly isLast: boolean }
  readonly entries: readonly Entry[]
}

const MESSAGES = {
  STATEMENT: { number: '053', root: 'BkToCstmrStmt', element: 'Stmt', pages: 'StmtPgntn' },
  ADVICE: { number: '054', root: 'BkToCstmrDbtCdtNtfctn', element: 'Ntfctn', pages: 'NtfctnPgntn' },
} as const
const NO_DAY = '2026-02-30'

/** Formats a file of statements or advices. `messageId` is the bank's name for the file. */
export function formatCamtFile(sheets: readonly Sheet[], messageId: string): string {
  const { number, root } = MESSAGES[sheets[0]?.kind ?? 'STATEMENT']
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${number}.001.08"><${root}>
${formatElement('GrpHdr', formatElement('MsgId', messageId), formatElement('CreDtTm', '2026-01-15T05:00:00+01:00'))}
${sheets.map(formatSheet).join('\n')}
</${root}></Document>
`
}

function formatSheet({ kind, id, iban, currency, date, opening, closing, page, entries }: Sheet): string {
  const { element: name, pages } = MESSAGES[kind]
  const formatBalance = (type: string, amount: bigint | undefined) =>
    amount !== undefined &&
    formatElement(
      'Bal',
      formatElement('Tp', formatElement('CdOrPrtry', formatElement('Cd', type))),
      formatAmountElement('Amt', amount, currency),
      formatDirection(amount),
      formatElement('Dt', formatElement('Dt', date)),
    )
  return formatElement(
    name,
    formatElement('Id', id),
    page &&
      formatElement(
        pages,
        formatElement('PgNb', String(page.number)),
        formatElement('LastPgInd', String(page.isLast)),
      ),
    formatElement('CreDtTm', `${date}T23:00:00+01:00`),
    formatElement('Acct', formatElement('Id', formatElement('IBAN', iban)), formatElement('Ccy', currency)),
    formatBalance('OPBD', opening),
    formatBalance('CLBD', closing),
    ...entries.map((entry) => formatEntry(entry, currency, date)),
  )
}

function formatEntry(entry: Entry, currency: string, date: string): string {
  const { cents, code, servicerReference, reference, batch, charge, details, text, isUnreadable } = entry
  const [domain, family, subfamily] = code
  return formatElement(
    'Ntry',
    reference && formatElement('NtryRef', reference),
    formatAmountElement('Amt', cents, currency),
    formatDirection(cents),
    formatElement('Sts', formatElement('Cd', 'BOOK')),
    formatElement('BookgDt', formatElement('Dt', isUnreadable ? NO_DAY : date)),
    formatElement('ValDt', formatElement('Dt', date)),
    servicerReference && formatElement('AcctSvcrRef', servicerReference),
    formatElement(
      'BkTxCd',
      formatElement(
        'Domn',
        formatElement('Cd', domain),
        formatElement('Fmly', formatElement('Cd', family), formatElement('SubFmlyCd', subfamily)),
      ),
    ),
    charge !== undefined &&
      formatElement(
        'Chrgs',
        formatElement(
          'Rcrd',
          formatAmountElement('Amt', charge, currency),
          formatElement('CdtDbtInd', 'DBIT'),
          formatElement('ChrgInclInd', 'true'),
        ),
      ),
    (batch || details.length > 0) &&
      formatElement(
        'NtryDtls',
        batch && formatElement('Btch', formatElement('PmtInfId', batch)),
        ...details.map((detail) => formatDetail(detail, cents, currency)),
      ),
    text && formatElement('AddtlNtryInf', text),
  )
}

function formatDetail(detail: Detail, cents: bigint, currency: string): string {
  const { amount, instructed, instructionId, endToEndId, debtor, text, structured, additional } = detail
  return formatElement(
    'TxDtls',
    formatElement(
      'Refs',
      instructionId && formatElement('InstrId', instructionId),
      formatElement('EndToEndId', endToEndId ?? 'NOTPROVIDED'),
    ),
    amount !== undefined && formatAmountElement('Amt', amount, currency),
    amount !== undefined && formatDirection(cents),
    instructed !== undefined &&
      formatElement('AmtDtls', formatElement('InstdAmt', formatAmountElement('Amt', instructed, currency))),
    debtor &&
      formatElement(
        'RltdPties',
        formatElement('Dbtr', formatElement('Pty', formatElement('Nm', debtor.name))),
        formatElement('DbtrAcct', formatElement('Id', formatElement('IBAN', debtor.iban))),
      ),
    (text || structured) &&
      formatElement(
        'RmtInf',
        text && formatElement('Ustrd', text),
        structured && formatElement('Strd', formatElement('CdtrRefInf', formatElement('Ref', structured))),
      ),
    detail.returnReason &&
      formatElement('RtrInf', formatElement('Rsn', formatElement('Cd', detail.returnReason))),
    additional && formatElement('AddtlTxInf', additional),
  )
}

/** The bank's status of a payment file and of individual payments in it. */
export interface Status {
  readonly messageId: string
  readonly kind: PaymentFile['kind']
  /** The status of the file as a whole, such as `ACCP`. */
  readonly fileStatus: string
  readonly payments: readonly {
    readonly instructionId: string
    readonly endToEndId: string
    readonly status: string
    readonly reason?: string
  }[]
}

export function formatStatusFile({ messageId, kind, fileStatus, payments }: Status, name: string): string {
  const statuses = payments.map(({ instructionId, endToEndId, status, reason }) =>
    formatElement(
      'TxInfAndSts',
      formatElement('OrgnlInstrId', instructionId),
      formatElement('OrgnlEndToEndId', endToEndId),
      formatElement('TxSts', status),
      reason && formatElement('StsRsnInf', formatElement('Rsn', formatElement('Cd', reason))),
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
${formatElement('GrpHdr', formatElement('MsgId', name), formatElement('CreDtTm', '2026-01-15T05:00:00+01:00'))}
${formatElement('OrgnlGrpInfAndSts', formatElement('OrgnlMsgId', messageId), formatElement('OrgnlMsgNmId', kind), formatElement('GrpSts', fileStatus))}
${statuses.length > 0 ? formatElement('OrgnlPmtInfAndSts', formatElement('OrgnlPmtInfId', messageId), ...statuses) : ''}
</CstmrPmtStsRpt></Document>
`
}

/** A transfer or a collection in one of our files. */
export interface Payment {
  readonly direction: 'OUT' | 'PULL'
  readonly instructionId: string
  readonly endToEndId: string
  /** In cents. */
  readonly amount: bigint
  /** The IBAN of the payee, or of the debtor. */
  readonly iban: string
  /** The mandate of a collection, and the collection's position in the mandate's sequence, such as `FRST`. */
  readonly mandate?: string
  readonly sequence?: string
}

export interface PaymentFile {
  readonly messageId: string
  readonly kind: 'pain.001.001.09' | 'pain.008.001.08'
  readonly payments: readonly Payment[]
}

/**
 * Parses a pain.001 or pain.008 file as far as the bank needs it. Throws if its sums do not match its
 * content.
 */
export function readPayments(text: string): PaymentFile {
  const isPull = text.includes('<CstmrDrctDbtInitn>')
  const [paymentElement, accountElement] = isPull ? ['DrctDbtTxInf', 'DbtrAcct'] : ['CdtTrfTxInf', 'CdtrAcct']
  const payments = [...text.matchAll(new RegExp(`<${paymentElement}>.*?</${paymentElement}>`, 'gs'))].map(
    ([part]): Payment => ({
      direction: isPull ? 'PULL' : 'OUT',
      instructionId: readElement(part, 'InstrId'),
      endToEndId: readElement(part, 'EndToEndId'),
      amount: parseCents(readElement(part, 'InstdAmt')),
      iban: readElement(part.slice(part.indexOf(`<${accountElement}>`)), 'IBAN'),
      ...(isPull ? { mandate: readElement(part, 'MndtId'), sequence: readElement(text, 'SeqTp') } : {}),
    }),
  )
  const sum = payments.reduce((total, { amount }) => total + amount, 0n)
  if (
    Number(readElement(text, 'NbOfTxs')) !== payments.length ||
    parseCents(readElement(text, 'CtrlSum')) !== sum
  )
    throw new Error(`A payment file does not match its totals: ${text}`)
  const kind = isPull ? 'pain.008.001.08' : 'pain.001.001.09'
  return { messageId: readElement(text, 'MsgId'), kind, payments }
}

function readElement(text: string, name: string): string {
  const [, found] = new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(text) ?? []
  if (found === undefined) throw new Error(`A payment file has no ${name}: ${text}`)
  return found
}

function parseCents(decimal: string): bigint {
  return BigInt(decimal.replace('.', ''))
}

function formatAmountElement(name: string, cents: bigint, currency: string): string {
  const size = cents < 0n ? -cents : cents
  return `<${name} Ccy="${currency}">${size / 100n}.${String(size % 100n).padStart(2, '0')}</${name}>`
}

function formatDirection(cents: bigint): string {
  return formatElement('CdtDbtInd', cents < 0n ? 'DBIT' : 'CRDT')
}

/** Formats an element with the given content. */
function formatElement(name: string, ...parts: readonly (string | false | undefined)[]): string {
  return `<${name}>${parts.filter(Boolean).join('')}</${name}>`
}

/** A German IBAN with this ten-digit account number. */
export function buildIban(number: string): string {
  const bban = `37040044${number}`
  const remainder = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - remainder).padStart(2, '0')}${bban}`
}
