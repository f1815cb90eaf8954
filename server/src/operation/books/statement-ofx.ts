import { CURRENCIES } from '@countersign/contract/core/currencies'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { type Element, element, optional } from '../../base/formats/xml-text.ts'
import { getLastMoment, otherSide, toIdDigits, toXmlText } from './statement-fields.ts'
import { KIND_WORDS } from './statement-words.ts'
import type { Line, Statement } from './statements.ts'

/** OFX allows 22 characters for an account number, so it is the end of the account's id. */
const ACCOUNT_CHARACTERS = 22

/** Writes a statement as OFX 2.2. The whole file is in the account's currency. */
export function* writeStatementOfx(statement: Statement): Generator<string> {
  const { account, from, createdAt, closing, lines } = statement
  const end = getLastMoment(statement)
  yield '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n' +
    '<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\n<OFX>'
  yield element('SIGNONMSGSRSV1', [
    element('SONRS', [writeStatus(), element('DTSERVER', formatTime(createdAt)), element('LANGUAGE', 'ENG')]),
  ])
  yield `\n<BANKMSGSRSV1><STMTTRNRS>${element('TRNUID', '0')}${writeStatus()}<STMTRS>`
  yield element('CURDEF', account.currency)
  yield element('BANKACCTFROM', [
    element('BANKID', 'CNTRSIGN'),
    element('ACCTID', toIdDigits(account.id).slice(-ACCOUNT_CHARACTERS)),
    element('ACCTTYPE', 'CHECKING'),
  ])
  yield `\n<BANKTRANLIST>${element('DTSTART', formatTime(from))}${element('DTEND', formatTime(end))}\n`
  for (const line of lines) yield `${writeTransaction(statement, line)}\n`
  yield '</BANKTRANLIST>'
  yield element('LEDGERBAL', [
    element('BALAMT', formatAmount(statement, closing)),
    element('DTASOF', formatTime(end)),
  ])
  yield '</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n'
}

function writeStatus(): Element {
  return element('STATUS', [element('CODE', '0'), element('SEVERITY', 'INFO')])
}

function writeTransaction(statement: Statement, line: Line): Element {
  const { kind, amount, at, transferId, origin } = line
  const memo = [KIND_WORDS[kind], origin.reference, origin.description].filter(
    (part) => part !== undefined && part !== null,
  )
  return element('STMTTRN', [
    element('TRNTYPE', toTransactionType(line)),
    element('DTPOSTED', formatTime(at)),
    element('TRNAMT', formatAmount(statement, amount)),
    // A payment and its fee belong to the same transfer, so the kind makes the id unique.
    element('FITID', `${toIdDigits(transferId)}-${kind}`),
    optional('NAME', toXmlText(otherSide(line) ?? KIND_WORDS[kind], 32)),
    optional('MEMO', toXmlText(memo.join(' '), 255)),
  ])
}

function toTransactionType({ kind, amount }: Line): string {
  if (kind === 'FEE' || kind === 'FEE_REFUND') return 'FEE'
  if (kind === 'CARD_PURCHASE' || kind === 'CARD_REFUND') return 'POS'
  return amount < 0n ? 'DEBIT' : 'CREDIT'
}

function formatAmount({ account: { currency } }: Statement, amount: bigint): string {
  return formatDecimal(amount, CURRENCIES[currency].decimals)
}

/** A time such as `20260105093000.000[0:GMT]`. */
function formatTime(time: Date): string {
  const digits = time.toISOString().replaceAll(/\D/g, '')
  return `${digits.slice(0, 14)}.${digits.slice(14)}[0:GMT]`
}
