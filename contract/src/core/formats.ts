import { Type } from 'typebox'
import { OneOfWords, Opaque, Pattern } from './schema.ts'
import { Personal, Plain } from './sensitivity.ts'

/** An e-mail address. Compared case-insensitively and stored as written. */
export const Email = Type.String({ format: 'email', maxLength: 255, wellFormed: true })

/** An E.164 telephone number. */
export const PhoneNumber = Pattern('^\\+[1-9][0-9]{1,14}$', {
  maxLength: 16,
  patternText: 'a telephone number with its plus sign and country code, like +12025550123',
  description: 'E.164, with the plus sign',
})

/** A calendar date without a time of day. */
export const CalendarDate = Type.String({ format: 'date', description: 'YYYY-MM-DD' })

/** In ISO 8601 order, where Monday is 1. */
export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

/** A time of day to the minute, in a time zone given elsewhere. */
export function TimeOfDay(description: string) {
  return Plain(
    Pattern('^(?:[01][0-9]|2[0-3]):[0-5][0-9]$', {
      maxLength: 5,
      patternText: 'a time like 16:30',
      description,
    }),
  )
}

/** The format of a time zone name. The operation checks that the time zone exists. */
export function TimeZoneName(description: string) {
  return Pattern('^[A-Za-z0-9_+/-]{1,64}$', {
    maxLength: 64,
    patternText: 'a time zone like Europe/Berlin',
    description,
  })
}

const COUNTRY_PATTERN = '^[A-Z]{2}$'

const COUNTRY_IN_WORDS = 'a country by its two capital letters, like US'

export const CountryCode = Plain(
  Pattern(COUNTRY_PATTERN, {
    maxLength: 2,
    patternText: COUNTRY_IN_WORDS,
    description: 'ISO 3166-1 alpha-2',
  }),
)

/** The region in which a customer is served. */
export const Region = Personal(
  Pattern(COUNTRY_PATTERN, {
    maxLength: 2,
    patternText: COUNTRY_IN_WORDS,
    description: 'Country in which the customer is served, ISO 3166-1 alpha-2',
  }),
)

/** Any currency code. The operation decides whether it is supported. */
export const CurrencyCode = Plain(
  Pattern('^[A-Z0-9]{3,5}$', {
    maxLength: 5,
    patternText: 'the code of a currency in capital letters, like USD',
    description: 'ISO 4217 for fiat, the ticker for a crypto asset',
  }),
)

/** An address on an EVM chain, in any letter case. */
export const EvmAddress = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', maxLength: 42 })

const HOST_LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** A port number, 1 to 65535. */
const PORT = '(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
const UMA_HOST = `${HOST_LABEL}(?:\\.${HOST_LABEL})*(?::${PORT})?`
/** Maximum length of the name in an UMA address. */
export const UMA_NAME_CHARACTERS_MAX = 64

/** The pattern of a lower-case `name@host`, where the host may include a port. */
export const NAME_AT_HOST = `[a-z0-9._+-]{1,${UMA_NAME_CHARACTERS_MAX}}@${UMA_HOST}`
const UMA_PATTERN = `^\\$${NAME_AT_HOST}$`
const UMA_CHARACTERS_MAX = 255

/** A lower-case `$name@host`, where the host may include a port. */
export const UmaAddress = Pattern(UMA_PATTERN, {
  maxLength: UMA_CHARACTERS_MAX,
  patternText: 'an UMA address in lower case, like $ada@example.com',
  description: 'Universal Money Address, $name@host',
})

/**
 * An UMA address as a caller may write it, in any letter case. The schema accepts any string, so that the
 * operation can respond with `INVALID_UMA_ADDRESS`. Only the canonical form is stored.
 */
export const UmaAddressInput = Opaque(512, {
  description: 'Universal Money Address, $name@host, in any case',
  documentedForm: {
    pattern: UMA_PATTERN.replaceAll('a-z', 'A-Za-z'),
    minLength: '$a@b'.length,
    maxLength: UMA_CHARACTERS_MAX,
  },
})

/** Without the flag `u`, so that no non-ASCII letter matches case-insensitively. */
const UMA_IN_ANY_CASE = new RegExp(UMA_PATTERN, 'i')

/**
 * Returns the canonical form of an UMA address, in which it is stored and compared. Undefined if the text is
 * not one.
 */
export function toCanonicalUmaAddress(text: string): string | undefined {
  return text.length <= UMA_CHARACTERS_MAX && UMA_IN_ANY_CASE.test(text) ? text.toLowerCase() : undefined
}

/** The host of an UMA address, short enough for the longest name. */
export const UmaDomain = Pattern(`^${UMA_HOST}$`, {
  maxLength: UMA_CHARACTERS_MAX - UMA_NAME_CHARACTERS_MAX - '$@'.length,
  patternText: 'the name of a host in lower case, like uma.example.com',
  description: "Host of this platform's UMA addresses",
})

export const HTTP_URL_IN_WORDS = 'a URL that begins with https:// or http://'

export const HttpUrl = Type.String({
  format: 'uri',
  patternText: HTTP_URL_IN_WORDS,
  pattern: '^https?://',
  maxLength: 2048,
  wellFormed: true,
})

export const KYC_STATUSES = ['UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED'] as const

/** The progress of a person's (KYC) or business's (KYB) verification. */
export const KycStatus = OneOfWords(KYC_STATUSES, 'Progress of the identity check')
