import type { WIRE_COLUMNS } from '@countersign/contract/connectors/bank-formats'
import { guardFormulas } from '@countersign/contract/core/csv-guard'
import { stringify } from 'csv-stringify/sync'
import { formatDecimalAmount } from './decimal-amounts.ts'
import { toSepaText } from './sepa-text.ts'
import type { WireDebtor, WirePayment } from './wire-payment.ts'

/** Writes wires to a bank's own CSV format, with columns configured in the rails file. */

type Template = NonNullable<WireDebtor['csv']>
type Column = (typeof WIRE_COLUMNS)[number]

/** Columns without which a bank cannot pay, or its statement cannot identify the payment. */
const REQUIRED: readonly Column[] = ['AMOUNT', 'REFERENCE', 'NAME', 'ACCOUNT_NUMBER', 'ROUTING_NUMBER']
const ADDRESS_CHARACTERS_MAX = 70
const LINE_END = '\r\n'

/** Finds a problem in a template. Undefined if it is valid. */
export function findTemplateFault({
  columns,
  separator = ',',
  decimalMark = '.',
}: Template): string | undefined {
  for (const [index, { value, text, header }] of columns.entries()) {
    const place = `format: csv.columns[${index}]`
    if (value !== undefined && text !== undefined) return `${place} must not have both a value and a text`
    for (const fixed of [header, text ?? '']) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
      if (/[\u0000-\u001f\u007f]/.test(fixed)) return `${place} must not contain control characters`
      if (guardFormulas(fixed) !== fixed) return `${place} must not begin like a formula`
    }
  }
  const values = columns.flatMap(({ value }) => value ?? [])
  const missing = REQUIRED.find((value) => !values.includes(value))
  if (missing !== undefined) return `format: csv.columns must have a column with the value ${missing}`
  return separator === decimalMark ? 'format: csv.separator and csv.decimalMark must differ' : undefined
}

/** Writes the header row. Empty if the template omits it. */
export function writeWireHeader(template: Template): string {
  return template.hasHeader === false
    ? ''
    : formatRow(
        template,
        template.columns.map(({ header }) => header),
      )
}

/** Writes the row of a payment, whose strings must already fit the file's character set. */
export function writeWireRow(
  template: Template,
  debtor: WireDebtor,
  executionDate: string,
  payment: WirePayment,
): string {
  return formatRow(
    template,
    template.columns.map(({ value, text = '' }) =>
      value === undefined ? text : VALUES[value]({ template, debtor, executionDate, payment }),
    ),
  )
}

function formatRow({ separator = ',' }: Template, cells: readonly string[]): string {
  return stringify([[...cells]], { delimiter: separator, record_delimiter: LINE_END })
}

interface ColumnSource {
  readonly template: Template
  readonly debtor: WireDebtor
  readonly executionDate: string
  readonly payment: WirePayment
}

const VALUES: Readonly<Record<Column, (source: ColumnSource) => string>> = {
  AMOUNT: ({ template, payment }) =>
    formatDecimalAmount(payment.amount, 'USD').replace('.', template.decimalMark ?? '.'),
  CURRENCY: () => 'USD',
  DATE: ({ template, executionDate }) => formatDate(executionDate, template.dates ?? 'YYYY-MM-DD'),
  REFERENCE: ({ payment }) => payment.endToEndId,
  INSTRUCTION_ID: ({ payment }) => payment.instructionId,
  NAME: ({ payment }) => stripFormulaStart(payment.creditor.name),
  ACCOUNT_NUMBER: ({ payment }) => stripFormulaStart(payment.creditor.account),
  ROUTING_NUMBER: ({ payment }) => payment.creditor.routingNumber,
  TEXT: ({ payment }) => stripFormulaStart(payment.remittanceInformation ?? ''),
  STREET: ({ payment }) => toAddressText(payment.creditor.address?.street),
  BUILDING_NUMBER: ({ payment }) => toAddressText(payment.creditor.address?.buildingNumber),
  POSTAL_CODE: ({ payment }) => toAddressText(payment.creditor.address?.postalCode),
  CITY: ({ payment }) => toAddressText(payment.creditor.address?.city),
  REGION: ({ payment }) => toAddressText(payment.creditor.address?.region),
  COUNTRY: ({ payment }) => toAddressText(payment.creditor.address?.country),
  PAYER_NAME: ({ debtor }) => toAddressText(debtor.name),
  PAYER_ACCOUNT_NUMBER: ({ debtor }) => stripFormulaStart(debtor.accountNumber),
  PAYER_ROUTING_NUMBER: ({ debtor }) => debtor.routingNumber,
}

function toAddressText(text: string | undefined): string {
  return stripFormulaStart(toSepaText(text ?? '', ADDRESS_CHARACTERS_MAX, { label: 'the address' }))
}

/**
 * Strips leading characters with which a spreadsheet would interpret text as a formula. An apostrophe in
 * front would change the text for the bank.
 */
function stripFormulaStart(text: string): string {
  return text.replace(/^[^A-Za-z0-9(]+/, '')
}

function formatDate(date: string, form: NonNullable<Template['dates']>): string {
  const [year = '', month = '', day = ''] = date.split('-')
  return form.replace('YYYY', year).replace('MM', month).replace('DD', day)
}
