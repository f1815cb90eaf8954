import { ACCOUNT_CHECKS, SEPA_COUNTRIES } from '@countersign/contract/accounts/account-fields'
import {
  type AccountTypeName,
  accountType,
  EXTERNAL_ACCOUNT_CREATE_INFO,
  isAccountType,
} from '@countersign/contract/accounts/account-types'
import { BANK_ACCOUNT_TYPES } from '@countersign/contract/accounts/account-types-bank'
import { MOBILE_ACCOUNT_TYPES } from '@countersign/contract/accounts/account-types-mobile'
import { OTHER_ACCOUNT_TYPES } from '@countersign/contract/accounts/account-types-other'
import { listCurrenciesOfKind } from '@countersign/contract/core/currencies'
import { type TProperties, type TSchema, Type } from 'typebox'
import { formatMarkdownTable } from './markdown-table.ts'

/** Prints the checks of all fields, and every account type. */
export function accountTypeTables(): string {
  return [
    '## Checks of fields',
    '',
    '| check | requirement |',
    '|---|---|',
    ...Object.entries(ACCOUNT_CHECKS).map(([name, requirement]) => `| \`${name}\` | ${requirement} |`),
    '',
    ...formatGroup('Bank accounts', BANK_ACCOUNT_TYPES),
    ...formatGroup('Mobile wallets, and accounts at a bank or with a mobile operator', MOBILE_ACCOUNT_TYPES),
    ...formatGroup('SWIFT, wallets and Lightning', OTHER_ACCOUNT_TYPES),
  ]
    .join('\n')
    .trimEnd()
}

function formatGroup(title: string, types: Readonly<Record<string, unknown>>): string[] {
  return [`## ${title}`, '', ...Object.keys(types).filter(isAccountType).flatMap(formatAccountType)]
}

function formatAccountType(name: AccountTypeName): string[] {
  const row = accountType(name)
  const { fields, individual, paymentOnly, paymentExtra, examples = [] } = row
  const facts = [
    `Holds ${row.currencies.length > 4 ? currencyList(row.currencies) : row.currencies.join(' or ')}`,
    row.country && `in ${row.country}`,
    row.rails.length > 0 && `reached by ${row.rails.join(', ')}`,
    fields && `identified by ${row.identifiedBy.map((field) => `\`${field}\``).join(' or ')}`,
  ].filter(Boolean)
  const required: readonly string[] = individual?.required ?? []
  const holderFields = required.filter((field) => field !== 'beneficiaryType').map((field) => `\`${field}\``)
  return [
    `### \`${name}\``,
    '',
    `${facts.join(', ')}.${row.ibanCountries === SEPA_COUNTRIES ? ' The IBAN may be of any country of SEPA.' : ''}`,
    '',
    ...(fields ? table(name, fields) : []),
    ...(individual ? [`An individual holder must give ${holderFields.join(', ')}.`, ''] : []),
    ...(paymentOnly
      ? [
          fields ? 'Payment instructions have instead:' : 'Only in payment instructions:',
          '',
          ...table(name, paymentOnly),
        ]
      : paymentExtra && Object.keys(paymentExtra).length > 0
        ? [`Payment instructions also have: ${listFields(paymentExtra)}.`, '']
        : ['Payment instructions have the same fields.', '']),
    ...examples.flatMap((example) => ['```json', formatExample(name, example), '```', '']),
  ]
}

function currencyList(codes: readonly string[]): string {
  const kinds = (['fiat', 'crypto'] as const).filter((kind) => {
    const all = listCurrenciesOfKind(kind)
    return all.length === codes.length && all.every((code) => codes.includes(code))
  })
  return kinds[0] ? `every ${kinds[0]} currency` : codes.join(', ')
}

function table(type: AccountTypeName, fields: TProperties): string[] {
  const checks = accountType(type).checks ?? {}
  return [
    '| field | required | form | check |',
    '|---|---|---|---|',
    ...Object.entries<TSchema>(fields).map(([name, schema]) => {
      const isRequired = !Type.IsOptional(schema)
      return `| \`${name}\` | ${isRequired ? 'yes' : 'no'} | ${describeForm(schema)} | ${checks[name] ? `\`${checks[name]}\`` : ''} |`
    }),
    '',
  ]
}

function listFields(fields: TProperties): string {
  return Object.entries<TSchema>(fields)
    .map(([name, schema]) => {
      const choices = (schema as { enum?: readonly string[] }).enum
      const notes = [Type.IsOptional(schema) && 'not always', choices?.join(' or ')].filter(Boolean)
      return `\`${name}\`${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
    })
    .join(', ')
}

function describeForm(schema: TSchema): string {
  const {
    description,
    enum: choices,
    maxLength,
    pattern,
    format,
  } = schema as {
    description?: string
    enum?: readonly string[]
    maxLength?: number
    pattern?: string
    format?: string
  }
  if (choices) return choices.join(', ')
  const parts = [
    description,
    pattern && !/^\d+ (?:to \d+ )?digits$/.test(description ?? '') && `\`${pattern.replaceAll('|', '\\|')}\``,
    format && `format ${format}`,
    maxLength && !pattern && `${description ? 'at' : 'At'} most ${maxLength} characters`,
  ]
  return parts.filter(Boolean).join('; ')
}

function formatExample(accountType: AccountTypeName, fields: Readonly<Record<string, string>>): string {
  const texts = Object.entries({ accountType, ...fields }).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  )
  const line = `{ ${texts.join(', ')} }`
  return line.length <= 110 ? line : `{\n  ${texts.join(',\n  ')}\n}`
}

/**
 * Prints the external account types, with the fields that `countersign external-accounts create` requires.
 */
export function formatAccountArgumentTable(): string {
  const types = [...EXTERNAL_ACCOUNT_CREATE_INFO.keys()].filter(isAccountType)
  return formatMarkdownTable(
    ['type', 'currency', 'required fields'],
    types.map((name) => {
      const { currencies, fields = {}, individual, identifiedBy } = accountType(name)
      const requiredFields = Object.entries<TSchema>(fields).filter(([, schema]) => !Type.IsOptional(schema))
      const names = requiredFields.map(([field]) => field)
      const isNamed = identifiedBy.some((field) => names.includes(field))
      const holder: readonly string[] = individual?.required ?? []
      const columns = [
        ...names.map((field) => `\`${field}\``),
        ...(isNamed ? [] : [identifiedBy.map((field) => `\`${field}\``).join(' or ')]),
        ...holder.map((field) => `\`beneficiary.${field}\``),
      ]
      const currencyText = currencies.length > 4 ? currencyList(currencies) : currencies.join(', ')
      return [`\`${name}\``, currencyText, columns.join(', ')]
    }),
  )
}
