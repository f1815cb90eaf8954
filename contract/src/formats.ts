import { Type } from 'typebox'
import { OneOfWords, Pattern } from './schema.ts'

/** An e-mail address. Compared without regard to case, kept as written. */
export const Email = Type.String({ format: 'email', maxLength: 255, wellFormed: true })

/** An E.164 telephone number. */
export const PhoneNumber = Pattern('^\\+[1-9][0-9]{1,14}$', {
  maxLength: 16,
  description: 'E.164, with the plus sign',
})

/** A calendar date without a time. */
export const CalendarDate = Type.String({ format: 'date', description: 'YYYY-MM-DD' })

const COUNTRY_PATTERN = '^[A-Z]{2}$'

export const CountryCode = Pattern(COUNTRY_PATTERN, { maxLength: 2, description: 'ISO 3166-1 alpha-2' })

/** Where a customer is served. */
export const Region = Pattern(COUNTRY_PATTERN, {
  maxLength: 2,
  description: 'Country in which the customer is served, ISO 3166-1 alpha-2',
})

/** Any currency code, known to this server or not; whether it is known is for the operation to say. */
export const CurrencyCode = Pattern('^[A-Z0-9]{3,5}$', {
  maxLength: 5,
  description: 'ISO 4217 for fiat, the ticker for a crypto asset',
})

/** `$name@host`, lower case; the host may carry a port. */
export const UmaAddress = Pattern(
  '^\\$[a-z0-9._+-]{1,64}@[a-z0-9](?:[a-z0-9.-]{0,180}[a-z0-9])?(?::[0-9]{1,5})?$',
  { description: 'Universal Money Address, $name@host' },
)

/** The host part of an UMA address. */
export const UmaDomain = Pattern('^[a-z0-9](?:[a-z0-9.-]{0,180}[a-z0-9])?(?::[0-9]{1,5})?$', {
  description: 'Host of the UMA addresses of this platform',
})

export const HttpUrl = Type.String({
  format: 'uri',
  pattern: '^https?://',
  maxLength: 2048,
  wellFormed: true,
})

export const KYC_STATUSES = ['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED'] as const

/** How far the check of a person (KYC) or a business (KYB) has come. */
export const KycStatus = OneOfWords(KYC_STATUSES, 'How far the identity check has come')
