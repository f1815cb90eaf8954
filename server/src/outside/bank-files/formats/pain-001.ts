import { isValidBIC, isValidIBAN } from 'ibantools'
import { type Element, element, optional } from '../../../base/formats/xml-text.ts'
import { decimalText } from './decimal-amounts.ts'
import { sepaName, sepaReference, sepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'

/** SEPA credit transfers as a file: pain.001.001.09 within the rules of the European Payments Council (EPC132-08). */

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'
const NAME_CHARACTERS_MAX = 70
const REMITTANCE_CHARACTERS_MAX = 140
/** The range of one SEPA credit transfer in cents: 0.01 to 999,999,999.99. */
const CENTS_MAX = 99_999_999_999n
/** Approximate size of the pieces. */
const PIECE_CHARACTERS = 64 * 1024

/** The payer: the platform's account at its bank. */
export interface SepaDebtor {
  readonly name: string
  readonly iban: string
  readonly bic?: string
  readonly address?: SepaAddress
}

/** A structured address: banks accept no other form since November 2026. */
export interface SepaAddress {
  readonly street?: string
  readonly buildingNumber?: string
  readonly postalCode?: string
  readonly city: string
  readonly region?: string
  readonly country: string
}

export interface SepaPayment {
  /** At most 35 characters, for the bank and us: it is repeated in a status. */
  readonly instructionId: string
  /** At most 35 characters, for everyone on the way: it is repeated in a status and in statements. */
  readonly endToEndId: string
  /** In cents. */
  readonly amount: bigint
  readonly creditor: {
    readonly name: string
    readonly iban: string
    readonly bic?: string
    readonly address?: SepaAddress
  }
  readonly remittanceInformation?: string
}

/** The head of a file. Number and sum are known in advance, because the file is written in one pass. */
export interface SepaFile {
  /** At most 35 characters; banks refuse a second file with the same id. */
  readonly messageId: string
  readonly createdAt: Date
  /** `YYYY-MM-DD`, in the bank's time zone. */
  readonly executionDate: string
  readonly isInstant: boolean
  readonly debtor: SepaDebtor
  readonly count: number
  /** In cents. */
  readonly total: bigint
}

/**
 * Writes a file, piece by piece, in constant memory. The same arguments give the same bytes. Throws if the
 * payments do not match the head, so that such a file is never complete, and UnwritablePayment for content
 * that SEPA cannot carry.
 */
export async function* writePain001(
  file: SepaFile,
  payments: AsyncIterable<SepaPayment>,
): AsyncGenerator<string> {
  let piece = head(file)
  let count = 0
  let total = 0n
  for await (const payment of payments) {
    piece += `${sepaTransfer(payment)}\n`
    count += 1
    total += payment.amount
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  if (count !== file.count || total !== file.total)
    throw new Error(
      `The file ${file.messageId} has ${count} payments of ${total}, not ${file.count} of ${file.total}`,
    )
  yield `${piece}</PmtInf></CstmrCdtTrfInitn></Document>\n`
}

/**
 * One payment as an element of a file. Throws UnwritablePayment; a payment that passes here can be in any
 * file.
 */
export function sepaTransfer({ creditor, ...payment }: SepaPayment): Element {
  if (payment.amount < 1n || payment.amount > CENTS_MAX)
    throw new UnwritablePayment('amount is not within 0.01 to 999999999.99 EUR', 'amount')
  const text = remittanceText(payment.remittanceInformation, REMITTANCE_CHARACTERS_MAX)
  return element('CdtTrfTxInf', [
    element('PmtId', [
      element('InstrId', sepaReference(payment.instructionId, 'instruction id')),
      element('EndToEndId', sepaReference(payment.endToEndId, 'end-to-end id')),
    ]),
    element('Amt', [element('InstdAmt', decimalText(payment.amount, 'EUR'), ' Ccy="EUR"')]),
    creditor.bic === undefined ? undefined : agent('CdtrAgt', creditor.bic),
    element('Cdtr', [
      element(
        'Nm',
        sepaName(creditor.name, NAME_CHARACTERS_MAX, {
          what: 'name of the beneficiary',
          country: countryOf(creditor.iban),
        }),
      ),
      creditor.address && postalAddress(creditor.address),
    ]),
    account('CdtrAcct', creditor.iban, 'IBAN of the beneficiary'),
    text === '' ? undefined : element('RmtInf', [element('Ustrd', text)]),
  ])
}

/**
 * Throws UnwritablePayment for text that SEPA cannot carry completely. Files truncate the text of payments
 * that are older than this rule.
 */
export function checkSepaText(text: string | undefined): void {
  const { length } = remittanceText(text, Number.POSITIVE_INFINITY)
  if (length > REMITTANCE_CHARACTERS_MAX)
    throw new UnwritablePayment(
      `remittance information has ${length} characters, and SEPA carries ${REMITTANCE_CHARACTERS_MAX}`,
      'remittanceInformation',
    )
}

function remittanceText(text: string | undefined, charactersMax: number): string {
  return sepaText(text ?? '', charactersMax, {
    what: 'remittance information',
    part: 'remittanceInformation',
  })
}

/** An address in the order of the schema. Throws UnwritablePayment. */
function postalAddress(address: SepaAddress): Element {
  const { street, buildingNumber, postalCode, city, region, country } = address
  const part = (name: string, text: string | undefined, charactersMax: number) => {
    const written = sepaText(text ?? '', charactersMax, { what: 'address', country })
    return written === '' ? undefined : element(name, written)
  }
  return element('PstlAdr', [
    part('StrtNm', street, 70),
    part('BldgNb', buildingNumber, 16),
    part('PstCd', postalCode, 16),
    element('TwnNm', sepaName(city, 35, { what: 'town of the address', country })),
    part('CtrySubDvsn', region, 35),
    element('Ctry', country),
  ])
}

/** The address, if SEPA can carry it. */
export function writableAddress(address: SepaAddress | undefined): SepaAddress | undefined {
  try {
    if (address) postalAddress(address)
    return address
  } catch (error) {
    if (error instanceof UnwritablePayment) return undefined
    throw error
  }
}

/**
 * Everything up to the first payment. The elements are in the order of the schema, which is part of the
 * format.
 */
function head(file: SepaFile): string {
  const { debtor } = file
  const messageId = sepaReference(file.messageId, 'message id')
  const name = element(
    'Nm',
    sepaName(debtor.name, NAME_CHARACTERS_MAX, {
      what: 'name of the account',
      country: countryOf(debtor.iban),
    }),
  )
  const sums = [element('NbOfTxs', String(file.count)), element('CtrlSum', decimalText(file.total, 'EUR'))]
  const group = element('GrpHdr', [
    element('MsgId', messageId),
    element('CreDtTm', file.createdAt.toISOString()),
    ...sums,
    element('InitgPty', [name]),
  ])
  const payment = [
    element('PmtInfId', messageId),
    element('PmtMtd', 'TRF'),
    ...sums,
    element('PmtTpInf', [
      element('SvcLvl', [element('Cd', 'SEPA')]),
      file.isInstant ? element('LclInstrm', [element('Cd', 'INST')]) : undefined,
    ]),
    element('ReqdExctnDt', [element('Dt', file.executionDate)]),
    element('Dbtr', [name, debtor.address && postalAddress(debtor.address)]),
    account('DbtrAcct', debtor.iban, 'IBAN of the account'),
    agent('DbtrAgt', debtor.bic),
    element('ChrgBr', 'SLEV'),
  ].join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}"><CstmrCdtTrfInitn>\n${group}\n<PmtInf>\n${payment}\n`
}

function countryOf(iban: string): string {
  return iban.slice(0, 2)
}

function account(name: string, iban: string, what: string): Element {
  if (!isValidIBAN(iban)) throw new UnwritablePayment(`${what} is not valid`)
  return element(name, [element('Id', [element('IBAN', iban)])])
}

/** A bank by its BIC. The schema requires the debtor's; the rules have a placeholder for an unknown one. */
function agent(name: string, bic: string | undefined): Element {
  if (bic !== undefined && !isValidBIC(bic)) throw new UnwritablePayment(`the BIC ${bic} is not valid`)
  const unknown = element('Othr', [element('Id', 'NOTPROVIDED')])
  return element(name, [element('FinInstnId', [optional('BICFI', bic) ?? unknown])])
}
