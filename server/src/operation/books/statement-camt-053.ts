import { toUtcDay } from '../../base/formats/utc-day.ts'
import { type Element, element, optional } from '../../base/formats/xml-text.ts'
import { formatAbsoluteAmount, getLastMoment, otherSide, toIdDigits, toXmlText } from './statement-fields.ts'
import { KIND_WORDS } from './statement-words.ts'
import type { Line, Statement } from './statements.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'

/**
 * Writes a statement as camt.053.001.08 (ISO 20022). The account is identified by the 32 hex digits of its
 * id.
 */
export function* writeStatementCamt053(statement: Statement): Generator<string> {
  const { account, ownerName, from, to, createdAt, opening, closing, lines } = statement
  const id = toIdDigits(account.id)
  const created = createdAt.toISOString()
  const head = element('GrpHdr', [
    element('MsgId', `CS-${toIdDigits(account.id).slice(-12)}-${created.replaceAll(/\D/g, '')}`),
    element('CreDtTm', created),
  ])
  const own = element('Acct', [
    element('Id', [element('Othr', [element('Id', id)])]),
    element('Ccy', account.currency),
    optional('Nm', toXmlText(ownerName, 70)),
    element('Ownr', [optional('Nm', toXmlText(ownerName, 140))]),
  ])
  const end = getLastMoment(statement)
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>${head}\n<Stmt>`
  yield [
    element('Id', `${id.slice(-12)}-${toUtcDay(from)}-${toUtcDay(end)}`),
    element('CreDtTm', created),
    element('FrToDt', [element('FrDtTm', from.toISOString()), element('ToDtTm', to.toISOString())]),
    own,
    writeBalance(statement, 'OPBD', opening, from),
    writeBalance(statement, 'CLBD', closing, end),
    '',
  ].join('\n')
  for (const [at, line] of lines.entries()) yield `${writeEntry(statement, line, at + 1)}\n`
  yield '</Stmt></BkToCstmrStmt></Document>\n'
}

function writeBalance(statement: Statement, code: string, amount: bigint, at: Date): Element {
  return element('Bal', [
    element('Tp', [element('CdOrPrtry', [element('Cd', code)])]),
    ...buildAmountElement(statement, amount),
    element('Dt', [element('Dt', toUtcDay(at))]),
  ])
}

function buildAmountElement(statement: Statement, amount: bigint): Element[] {
  const { currency } = statement.account
  return [
    element('Amt', formatAbsoluteAmount(statement, amount), ` Ccy="${currency}"`),
    element('CdtDbtInd', amount < 0n ? 'DBIT' : 'CRDT'),
  ]
}

function writeEntry(statement: Statement, line: Line, number: number): Element {
  const { kind, amount, at, transferId, origin } = line
  return element('Ntry', [
    element('NtryRef', String(number)),
    ...buildAmountElement(statement, amount),
    element('RvslInd', String(kind === 'REFUND' || kind === 'FEE_REFUND' || kind === 'CARD_REFUND')),
    element('Sts', [element('Cd', 'BOOK')]),
    element('BookgDt', [element('DtTm', at.toISOString())]),
    element('ValDt', [element('Dt', toUtcDay(at))]),
    element('AcctSvcrRef', toIdDigits(transferId)),
    element('BkTxCd', [element('Prtry', [element('Cd', kind), element('Issr', 'Countersign')])]),
    element('NtryDtls', [
      element('TxDtls', [
        element('Refs', [
          element('AcctSvcrRef', toIdDigits(transferId)),
          optional('EndToEndId', toXmlText(origin.reference, 35)),
        ]),
        ...buildAmountElement(statement, amount),
        writeParties(line),
        writeRemittance(line),
      ]),
    ]),
    element('AddtlNtryInf', KIND_WORDS[kind]),
  ])
}

/** The other party of a line, as payer or payee. */
function writeParties(line: Line): Element | undefined {
  const name = toXmlText(otherSide(line), 140)
  if (name === undefined) return undefined
  return element('RltdPties', [
    element(line.amount < 0n ? 'Cdtr' : 'Dbtr', [element('Pty', [element('Nm', name)])]),
  ])
}

function writeRemittance({ origin }: Line): Element | undefined {
  const text = toXmlText(origin.description, 140)
  return text === undefined ? undefined : element('RmtInf', [element('Ustrd', text)])
}
