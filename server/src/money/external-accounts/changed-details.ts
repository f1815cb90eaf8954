import { HOLDER_FIELD } from '@countersign/contract/accounts/account-changes'
import { accountType, ExternalAccountDetails } from '@countersign/contract/accounts/account-types'
import { Value } from 'typebox/value'
import { getHolderName } from '../../kernel/accounts/external-account-names.ts'
import type { AccountChangeRow, AccountValues } from '../../storage/rows/account-change.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/** Replaces values in an account's details, and restores the details before such changes. Pure. */

const SHOWN_CHARACTERS = 4

/** An account's values for these fields. */
export function pickValues(info: AccountDetails, fields: readonly string[]): AccountValues {
  const details = new Map<string, unknown>(Object.entries(info))
  return Object.fromEntries(
    fields.map((field) => {
      const value = field === HOLDER_FIELD ? getHolderName({ account_info: info }) : details.get(field)
      return [field, typeof value === 'string' ? value : null]
    }),
  )
}

/** The proposed values that differ from the account's values. */
export function findDifferences(info: AccountDetails, proposed: AccountValues): AccountValues {
  const current = pickValues(info, Object.keys(proposed))
  return Object.fromEntries(Object.entries(proposed).filter(([field, value]) => value !== current[field]))
}

/** True if the account has these values. */
export function hasValues(info: AccountDetails, values: AccountValues): boolean {
  return Object.keys(findDifferences(info, values)).length === 0
}

/**
 * The details with these values. Undefined if the account type lacks one of the fields, or if the result is
 * not valid for the type.
 */
export function withValues(info: AccountDetails, values: AccountValues): AccountDetails | undefined {
  const { fields = {} } = accountType(info.accountType)
  const { [HOLDER_FIELD]: holder, ...others } = values
  if (Object.keys(others).some((field) => !Object.hasOwn(fields, field))) return undefined
  const beneficiaryChange = holder === undefined ? {} : { beneficiary: renameBeneficiary(info, holder) }
  const entries = Object.entries({ ...info, ...others, ...beneficiaryChange }).filter(
    ([, value]) => value !== null,
  )
  const changed: unknown = Object.fromEntries(entries)
  return Value.Check(ExternalAccountDetails, changed) ? changed : undefined
}

function renameBeneficiary(info: AccountDetails, name: string | null) {
  if (!('beneficiary' in info)) return name
  const { beneficiary } = info
  return { ...beneficiary, [beneficiary.beneficiaryType === 'INDIVIDUAL' ? 'fullName' : 'legalName']: name }
}

/** The details before these changes were applied. `applied` is ordered from newest to oldest. */
export function computeDetailsBefore(
  info: AccountDetails,
  applied: readonly Pick<AccountChangeRow, 'previous'>[],
): AccountDetails {
  // An erased account has no details left.
  return applied.reduce((details, { previous }) => withValues(details, previous) ?? details, info)
}

/** The values as events show them. The number that identifies the account is shortened. */
export function shortenIdentifier(type: AccountDetails['accountType'], values: AccountValues): AccountValues {
  const { identifiedBy } = accountType(type)
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      field,
      value !== null && identifiedBy.includes(field) ? `•••• ${value.slice(-SHOWN_CHARACTERS)}` : value,
    ]),
  )
}
