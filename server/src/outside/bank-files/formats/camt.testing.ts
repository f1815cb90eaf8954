/** Statements as a bank writes them, for tests and benchmarks: version .08, and .02 with its other shapes. */

export interface SampleTransaction {
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
  /** The bank's own reference of the entry. */
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

/** A whole file of one statement, or of one advice. */
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

/** A balance of a signed amount. */
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
  const btch = batch === undefined ? '' : `<Btch><PmtInfId>${batch}</PmtInfId></Btch>`
  return `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${isReversal ? '<RvslInd>true</RvslInd>' : ''}<Sts>${version === '08' ? `<Cd>${status}</Cd>` : status}</Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt><ValDt><Dt>2026-03-02</Dt></ValDt><AcctSvcrRef>${servicerReference}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>${details || btch ? `<NtryDtls>${btch}${details}</NtryDtls>` : ''}<AddtlNtryInf>SEPA</AddtlNtryInf></Ntry>`
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

/** A string as the bytes of a file, in pieces of this many bytes, so that everything is split somewhere. */
export async function* bytesOf(text: string | Uint8Array, pieceBytes = 61): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

export async function* each<One>(ones: readonly One[]): AsyncGenerator<One> {
  yield* ones
}

export async function all<One>(ones: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = []
  for await (const one of ones) found.push(one)
  return found
}

export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  return (await all(pieces)).join('')
}
