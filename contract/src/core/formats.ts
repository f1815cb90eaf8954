import { Type } from 'typebox'
import { OneOfWords, Opaque, Pattern } from './schema.ts'
import { Personal, Plain } from './sensitivity.ts'

/** An e-mail address. Compared without regard to case, kept as written. */
export const Email = Type.String({ format: 'email', maxLength: 255, wellFormed: true })

/** An E.164 telephone number. */
export const PhoneNumber = Pattern('^\\+[1-9][0-9]{1,14}$', {
  maxLength: 16,
  patternText: 'a telephone number with its plus sign and country code, like +12025550123',
  description: 'E.164, with the plus sign',
})

/** A calendar date without a time. */
export const CalendarDate = Type.String({ format: 'date', description: 'YYYY-MM-DD' })

/** In the order of ISO 8601, whose Monday is 1. */
export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const

/** A time of day on the clock of some time zone, to the minute. */
export function TimeOfDay(description: string) {
  return Plain(
    Pattern('^(?:[01][0-9]|2[0-3]):[0-5][0-9]$', {
      maxLength: 5,
      patternText: 'a time like 16:30',
      description,
    }),
  )
}

/** A time zone name's form. The operation checks whether such a zone exists. */
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

/** The region that serves a customer. */
export const Region = Personal(
  Pattern(COUNTRY_PATTERN, {
    maxLength: 2,
    patternText: COUNTRY_IN_WORDS,
    description: 'Country in which the customer is served, ISO 3166-1 alpha-2',
  }),
)

/** Any currency code, even one that this server does not know: the operation decides. */
export const CurrencyCode = Plain(
  Pattern('^[A-Z0-9]{3,5}$', {
    maxLength: 5,
    patternText: 'the code of a currency in capital letters, like USD',
    description: 'ISO 4217 for fiat, the ticker for a crypto asset',
  }),
)

/** An address on an EVM chain, in any spelling. */
export const EvmAddress = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', maxLength: 42 })

const HOST_LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** 1 to 65535. */
const PORT = '(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'
const UMA_HOST = `${HOST_LABEL}(?:\\.${HOST_LABEL})*(?::${PORT})?`
/** The longest name of an UMA address. */
export const UMA_NAME_CHARACTERS_MAX = 64

/** The pattern of `name@host`, lower case; the host may carry a port. */
export const NAME_AT_HOST = `[a-z0-9._+-]{1,${UMA_NAME_CHARACTERS_MAX}}@${UMA_HOST}`
const UMA_PATTERN = `^\\$${NAME_AT_HOST}$`
const UMA_CHARACTERS_MAX = 255

/** `$name@host`, lower case; the host may carry a port. */
export const UmaAddress = Pattern(UMA_PATTERN, {
  maxLength: UMA_CHARACTERS_MAX,
  patternText: 'an UMA address in lower case, like $ada@example.com',
  description: 'Universal Money Address, $name@host',
})

/**
 * An UMA address as a caller may write it, in any case. The schema takes any text, so that the operation can answer
 * `INVALID_UMA_ADDRESS`. Only its canonical form is stored.
 */
export const UmaAddressInput = Opaque(512, {
  description: 'Universal Money Address, $name@host, in any case',
  documentedForm: {
    pattern: UMA_PATTERN.replaceAll('a-z', 'A-Za-z'),
    minLength: '$a@b'.length,
    maxLength: UMA_CHARACTERS_MAX,
  },
})

/** Has no flag `u`, so that no letter outside ASCII matches one of these in another case. */
const UMA_IN_ANY_CASE = new RegExp(UMA_PATTERN, 'i')

/** The canonical form of an UMA address, in which it is stored and compared; undefined if the text is not one. */
export function canonicalUmaAddress(text: string): string | undefined {
  return text.length <= UMA_CHARACTERS_MAX && UMA_IN_ANY_CASE.test(text) ? text.toLowerCase() : undefined
}

/** The host part of an UMA address, which leaves room for the longest name. */
export const UmaDomain = Pattern(`^${UMA_HOST}$`, {
  maxLength: UMA_CHARACTERS_MAX - UMA_NAME_CHARACTERS_MAX - '$@'.length,
  patternText: 'the name of a host in lower case, like uma.example.com',
  description: 'Host of the UMA addresses of this platform',
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

/** Progress of a person's (KYC) or a business's (KYB) check. */
export const KycStatus = OneOfWords(KYC_STATUSES, 'Progress of the identity check')
