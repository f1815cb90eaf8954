import type { WIRE_COLUMNS } from '@countersign/contract/connectors/bank-formats'
import { guardedText } from '@countersign/contract/core/csv-guard'
import { stringify } from 'csv-stringify/sync'
import { decimalText } from './decimal-amounts.ts'
import { sepaText } from './sepa-text.ts'
import type { WireDebtor, WirePayment } from './wire-payment.ts'

/** Writes wires to a bank's own CSV format, with columns configured in the rails file. */

type Template = NonNullable<WireDebtor['csv']>
type Column = (typeof WIRE_COLUMNS)[number]

/** Without these columns, a bank cannot pay, or its statement cannot name the payment. */
const REQUIRED: readonly Column[] = ['AMOUNT', 'REFERENCE', 'NAME', 'ACCOUNT_NUMBER', 'ROUTING_NUMBER']
const ADDRESS_CHARACTERS_MAX = 70
const LINE_END = '\r\n'

/** Finds a problem in a template. Undefined if it is valid. */
export function faultOfTemplate({
  columns,
  separator = ',',
  decimalMark = '.',
}: Template): string | undefined {
  for (const [index, { value, text, header }] of columns.entries()) {
    const place = `format: csv.columns[${index}]`
    if (value !== undefined && text !== undefined) return `${place} has both a value and a text`
    for (const fixed of [header, text ?? '']) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
      if (/[\u0000-\u001f\u007f]/.test(fixed)) return `${place} has a control character`
      if (guardedText(fixed) !== fixed) return `${place} begins like a formula`
    }
  }
  const values = columns.flatMap(({ value }) => value ?? [])
  const missing = REQUIRED.find((one) => !values.includes(one))
  if (missing !== undefined) return `format: csv.columns has no column with the value ${missing}`
  return separator === decimalMark ? 'format: csv.separator is the decimal mark' : undefined
}

/** The header row, if the template has one. */
export function wireHeader(template: Template): string {
  return template.hasHeader === false
    ? ''
    : rowOf(
        template,
        template.columns.map(({ header }) => header),
      )
}

/** The row of a payment. All its strings must fit the file's character set. */
export function wireRow(
  template: Template,
  debtor: WireDebtor,
  executionDate: string,
  payment: WirePayment,
): string {
  return rowOf(
    template,
    template.columns.map(({ value, text = '' }) =>
      value === undefined ? text : VALUES[value]({ template, debtor, executionDate, payment }),
    ),
  )
}

function rowOf({ separator = ',' }: Template, cells: readonly string[]): string {
  return stringify([[...cells]], { delimiter: separator, record_delimiter: LINE_END })
}

interface Given {
  readonly template: Template
  readonly debtor: WireDebtor
  readonly executionDate: string
  readonly payment: WirePayment
}

const VALUES: Readonly<Record<Column, (given: Given) => string>> = {
  AMOUNT: ({ template, payment }) =>
    decimalText(payment.amount, 'USD').replace('.', template.decimalMark ?? '.'),
  CURRENCY: () => 'USD',
  DATE: ({ template, executionDate }) => dateText(executionDate, template.dates ?? 'YYYY-MM-DD'),
  REFERENCE: ({ payment }) => payment.endToEndId,
  INSTRUCTION_ID: ({ payment }) => payment.instructionId,
  NAME: ({ payment }) => plain(payment.creditor.name),
  ACCOUNT_NUMBER: ({ payment }) => plain(payment.creditor.account),
  ROUTING_NUMBER: ({ payment }) => payment.creditor.routingNumber,
  TEXT: ({ payment }) => plain(payment.remittanceInformation ?? ''),
  STREET: ({ payment }) => addressText(payment.creditor.address?.street),
  BUILDING_NUMBER: ({ payment }) => addressText(payment.creditor.address?.buildingNumber),
  POSTAL_CODE: ({ payment }) => addressText(payment.creditor.address?.postalCode),
  CITY: ({ payment }) => addressText(payment.creditor.address?.city),
  REGION: ({ payment }) => addressText(payment.creditor.address?.region),
  COUNTRY: ({ payment }) => addressText(payment.creditor.address?.country),
  PAYER_NAME: ({ debtor }) => addressText(debtor.name),
  PAYER_ACCOUNT_NUMBER: ({ debtor }) => plain(debtor.accountNumber),
  PAYER_ROUTING_NUMBER: ({ debtor }) => debtor.routingNumber,
}

function addressText(text: string | undefined): string {
  return plain(sepaText(text ?? '', ADDRESS_CHARACTERS_MAX, { what: 'address' }))
}

/**
 * Strips leading characters with which a spreadsheet would take text for a formula. Prefixing an apostrophe
 * instead would change what the bank reads.
 */
function plain(text: string): string {
  return text.replace(/^[^A-Za-z0-9(]+/, '')
}

function dateText(date: string, form: NonNullable<Template['dates']>): string {
  const [year = '', month = '', day = ''] = date.split('-')
  return form.replace('YYYY', year).replace('MM', month).replace('DD', day)
}
