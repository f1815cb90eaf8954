import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CountryCode, CurrencyCode, HttpUrl, UmaDomain } from '../core/formats.ts'
import { Page, Pattern, pageQuery, Text } from '../core/schema.ts'

/** An institution whose customers have UMA addresses. */
export const UmaProvider = Type.Object({
  name: Text(255),
  supportedRegions: Type.Optional(Type.Array(CountryCode, { description: 'Absent if unknown' })),
  domain: UmaDomain,
  logoUrl: Type.Optional(HttpUrl),
  supportedCurrencies: Type.Array(Currency),
  lei: Type.Optional(
    Pattern('^[A-Z0-9]{18}[0-9]{2}$', { maxLength: 20, description: 'Legal Entity Identifier, ISO 17442' }),
  ),
  allowListStatus: Type.Boolean({ description: 'True if the platform allows payments to it' }),
})

/** The UMA providers known to this server. */
export const uma_provider_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/uma-providers',
  tag: 'Available UMA Providers',
  summary: 'List UMA providers',
  description:
    'Lists the providers whose customers can be paid by UMA address: the platform itself and the ' +
    'providers that the operator has named, by domain. The setting umaProviderConfig limits which of ' +
    'them may be paid. A provider with unknown regions matches no country.',
  query: Type.Object({
    countryCode: Type.Optional(CountryCode),
    currencyCode: Type.Optional(CurrencyCode),
    hasBlockedProviders: Type.Optional(
      Type.Boolean({ default: false, description: 'Includes providers that may not be paid' }),
    ),
    ...pageQuery,
    sortOrder: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
    ),
  }),
  responses: { 200: Page(UmaProvider) },
  errors: ['INVALID_INPUT'],
})

export const umaProviders = { uma_provider_list }
