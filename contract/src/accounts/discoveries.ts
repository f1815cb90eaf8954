import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { CountryCode, CurrencyCode } from '../core/formats.ts'
import { BankName } from './account-fields.ts'

export const InstitutionList = Type.Object({
  data: Type.Array(
    Type.Object({
      bankName: BankName,
      displayName: BankName,
      country: CountryCode,
      currency: CurrencyCode,
    }),
  ),
})

/** Not paginated. An external account must use `bankName` verbatim, as its `bankName` or `provider`. */
export const discovery_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/discoveries',
  tag: 'Discoveries',
  summary: 'List banks and mobile money operators',
  description:
    'Lists institutions by country and currency, for the types of external accounts that require a name. ' +
    'bankName is the exact value to send as bankName or provider; displayName is for people. The list is ' +
    'empty for a country or a currency without such accounts.',
  query: Type.Object({ country: Type.Optional(CountryCode), currency: Type.Optional(CurrencyCode) }),
  responses: { 200: InstitutionList },
  errors: ['INVALID_INPUT'],
})

export const discoveries = { discovery_list }
