import { accountType } from '@countersign/contract/accounts/account-types'
import { findInstitutions } from '@countersign/contract/accounts/institutions'
import { findNearest } from '../../base/formats/did-you-mean.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/**
 * Compares the name of a bank or operator with the list of `GET /discoveries` for the account's country.
 * Throws 400 `INVALID_BANK_ACCOUNT` naming the field. `details.nearest` is the most similar name, if any.
 */
export function checkInstitution(info: AccountDetails): void {
  const { institution, country, currencies } = accountType(info.accountType)
  if (institution === undefined) return
  const fields = new Map<string, unknown>(Object.entries(info))
  const name = fields.get(institution)
  if (typeof name !== 'string') return
  const region = country ?? fields.get('region')
  const knownNames = findInstitutions(typeof region === 'string' ? { country: region } : {})
    .filter((institutionOnList) => currencies.includes(institutionOnList.currency))
    .map(({ bankName }) => bankName)
  if (knownNames.includes(name)) return
  const field = `accountInfo.${institution}`
  const nearest = findNearest(name, knownNames)
  throw new ApiError('INVALID_BANK_ACCOUNT', {
    message: `${field} must be the exact name of a bank or operator from GET /discoveries.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`,
    details: { field, ...(nearest === undefined ? {} : { nearest }) },
  })
}
