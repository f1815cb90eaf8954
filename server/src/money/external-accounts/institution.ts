import { accountType } from '@countersign/contract/accounts/account-types'
import { institutionsOf } from '@countersign/contract/accounts/institutions'
import { findNearest } from '../../base/formats/did-you-mean.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/**
 * Compares the name of a bank or operator with the list of `GET /discoveries` for the account's country.
 * Throws 400 `INVALID_BANK_ACCOUNT` naming the field; `details.nearest` is the name that was probably meant,
 * if any.
 */
export function checkInstitution(info: AccountDetails): void {
  const { institution, country, currencies } = accountType(info.accountType)
  if (institution === undefined) return
  const given = new Map<string, unknown>(Object.entries(info))
  const name = given.get(institution)
  if (typeof name !== 'string') return
  const place = country ?? given.get('region')
  const known = institutionsOf(typeof place === 'string' ? { country: place } : {})
    .filter((one) => currencies.includes(one.currency))
    .map(({ bankName }) => bankName)
  if (known.includes(name)) return
  const field = `accountInfo.${institution}`
  const meant = findNearest(name, known)
  throw new ApiError('INVALID_BANK_ACCOUNT', {
    message: `${field} is not the exact name of a bank or operator that GET /discoveries lists${meant === undefined ? '' : `. The nearest is ${meant}`}`,
    details: { field, ...(meant === undefined ? {} : { nearest: meant }) },
  })
}
