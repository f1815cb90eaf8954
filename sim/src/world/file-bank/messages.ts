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
${element('GrpHdr', element('MsgId', messageId), element('CreDtTm', '2026-01-15T05:00:00+01:00'))}
${sheets.map(formatSheet).join('\n')}
</${root}></Document>
`
}

function formatSheet({ kind, id, iban, currency, date, opening, closing, page, entries }: Sheet): string {
  const { element: name, pages } = MESSAGES[kind]
  const balance = (type: string, amount: bigint | undefined) =>
    amount !== undefined &&
    element(
      'Bal',
      element('Tp', element('CdOrPrtry', element('Cd', type))),
      amountElement('Amt', amount, currency),
      direction(amount),
      element('Dt', element('Dt', date)),
    )
  return element(
    name,
    element('Id', id),
    page && element(pages, element('PgNb', String(page.number)), element('LastPgInd', String(page.isLast))),
    element('CreDtTm', `${date}T23:00:00+01:00`),
    element('Acct', element('Id', element('IBAN', iban)), element('Ccy', currency)),
    balance('OPBD', opening),
    balance('CLBD', closing),
    ...entries.map((entry) => formatEntry(entry, currency, date)),
  )
}

function formatEntry(entry: Entry, currency: string, date: string): string {
  const { cents, code, servicerReference, reference, batch, charge, details, text, isUnreadable } = entry
  const [domain, family, subfamily] = code
  return element(
    'Ntry',
    reference && element('NtryRef', reference),
    amountElement('Amt', cents, currency),
    direction(cents),
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', element('Dt', isUnreadable ? NO_DAY : date)),
    element('ValDt', element('Dt', date)),
    servicerReference && element('AcctSvcrRef', servicerReference),
    element(
      'BkTxCd',
      element(
        'Domn',
        element('Cd', domain),
        element('Fmly', element('Cd', family), element('SubFmlyCd', subfamily)),
      ),
    ),
    charge !== undefined &&
      element(
        'Chrgs',
        element(
          'Rcrd',
          amountElement('Amt', charge, currency),
          element('CdtDbtInd', 'DBIT'),
          element('ChrgInclInd', 'true'),
        ),
      ),
    (batch || details.length > 0) &&
      element(
        'NtryDtls',
        batch && element('Btch', element('PmtInfId', batch)),
        ...details.map((detail) => formatDetail(detail, cents, currency)),
      ),
    text && element('AddtlNtryInf', text),
  )
}

function formatDetail(detail: Detail, cents: bigint, currency: string): string {
  const { amount, instructed, instructionId, endToEndId, debtor, text, structured, additional } = detail
  return element(
    'TxDtls',
    element(
      'Refs',
      instructionId && element('InstrId', instructionId),
      element('EndToEndId', endToEndId ?? 'NOTPROVIDED'),
    ),
    amount !== undefined && amountElement('Amt', amount, currency),
    amount !== undefined && direction(cents),
    instructed !== undefined &&
      element('AmtDtls', element('InstdAmt', amountElement('Amt', instructed, currency))),
    debtor &&
      element(
        'RltdPties',
        element('Dbtr', element('Pty', element('Nm', debtor.name))),
        element('DbtrAcct', element('Id', element('IBAN', debtor.iban))),
      ),
    (text || structured) &&
      element(
        'RmtInf',
        text && element('Ustrd', text),
        structured && element('Strd', element('CdtrRefInf', element('Ref', structured))),
      ),
    detail.returnReason && element('RtrInf', element('Rsn', element('Cd', detail.returnReason))),
    additional && element('AddtlTxInf', additional),
  )
}

/** The bank's status of a payment file and of individual payments in it. */
export interface Status {
  readonly messageId: string
  readonly kind: PaymentFile['kind']
  /** The status of the file as a whole, such as `ACCP`. */
  readonly ofFile: string
  readonly payments: readonly {
    readonly instructionId: string
    readonly endToEndId: string
    readonly status: string
    readonly reason?: string
  }[]
}

export function formatStatusFile({ messageId, kind, ofFile, payments }: Status, name: string): string {
  const statuses = payments.map(({ instructionId, endToEndId, status, reason }) =>
    element(
      'TxInfAndSts',
      element('OrgnlInstrId', instructionId),
      element('OrgnlEndToEndId', endToEndId),
      element('TxSts', status),
      reason && element('StsRsnInf', element('Rsn', element('Cd', reason))),
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
${element('GrpHdr', element('MsgId', name), element('CreDtTm', '2026-01-15T05:00:00+01:00'))}
${element('OrgnlGrpInfAndSts', element('OrgnlMsgId', messageId), element('OrgnlMsgNmId', kind), element('GrpSts', ofFile))}
${statuses.length > 0 ? element('OrgnlPmtInfAndSts', element('OrgnlPmtInfId', messageId), ...statuses) : ''}
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

function amountElement(name: string, cents: bigint, currency: string): string {
  const size = cents < 0n ? -cents : cents
  return `<${name} Ccy="${currency}">${size / 100n}.${String(size % 100n).padStart(2, '0')}</${name}>`
}

function direction(cents: bigint): string {
  return element('CdtDbtInd', cents < 0n ? 'DBIT' : 'CRDT')
}

/** Formats an element with the given content. */
function element(name: string, ...parts: readonly (string | false | undefined)[]): string {
  return `<${name}>${parts.filter(Boolean).join('')}</${name}>`
}

/** A German IBAN with this ten-digit account number. */
export function ibanOf(number: string): string {
  const bban = `37040044${number}`
  const rest = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - rest).padStart(2, '0')}${bban}`
}
