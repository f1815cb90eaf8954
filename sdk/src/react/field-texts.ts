import type { Payment } from '../signing/statement.ts'
import type { Texts } from './texts/texts.ts'

/**
 * Returns the label of a field. It is found by the last part of the path: `accountInfo.beneficiary.fullName`
 * has the label of `fullName`.
 */
export function formatFieldName(texts: Texts, path: string): string {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? path
  const fields: Readonly<Record<string, string>> = texts.fields
  return Object.hasOwn(fields, name) ? (fields[name] ?? name) : name
}

/** Returns the value of a field, translated if there is a translation. */
export function formatFieldValue(texts: Texts, path: string, value: string): string {
  if (path.endsWith('accountType')) return formatPlace(value)
  if (path.endsWith('beneficiaryType')) return value === 'BUSINESS' ? texts.business : texts.individual
  return value
}

/** Shortens an account type: `SPARK_WALLET` becomes Spark, `USD_ACCOUNT` becomes USD. */
export function formatPlace(accountType: string): string {
  const name = accountType.replace(/_(?:ACCOUNT|WALLET)$/, '').replaceAll('_', ' ')
  return name.length <= 4 ? name : name.charAt(0) + name.slice(1).toLowerCase()
}

/** Describes the payee, because an account id means nothing to a person. */
export function findPayeeName(texts: Texts, destination: Payment['destination']): string {
  if (destination.destinationType === 'UMA_ADDRESS') return destination.umaAddress
  const { accountInfo, currency } = destination
  if (!accountInfo) return texts.accountIn(currency)
  if (!('beneficiary' in accountInfo)) return texts.accountAt(formatPlace(accountInfo.accountType))
  const { beneficiary } = accountInfo
  return beneficiary.beneficiaryType === 'BUSINESS' ? beneficiary.legalName : beneficiary.fullName
}
