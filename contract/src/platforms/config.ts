import { Type } from 'typebox'
import { OVER_CLAIM_PERCENT_MAX } from '../cards/over-claims.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode, Email, HTTP_URL_IN_WORDS, HttpUrl, UmaDomain } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Int64, NullableText, OneOfWords, Pattern, Text, Timestamp } from '../core/schema.ts'
import { CustomerInfoField } from '../customers/customer-info.ts'
import { TRANSACTION_TYPES } from '../payments/transactions.ts'

const infoFieldsOfProvider = (description: string) =>
  Type.Optional(
    Type.Array(CustomerInfoField, { readOnly: true, description: `${description} Ignored on input.` }),
  )

/** What a platform does in one currency. Amounts are in its smallest unit. */
export const PlatformCurrencyConfig = Type.Object({
  currencyCode: CurrencyCode,
  minAmount: Int64({ minimum: 0, description: 'Smallest amount of one payment' }),
  maxAmount: Int64({ minimum: 0, description: 'Largest amount of one payment, at least minAmount' }),
  requiredCounterpartyFields: Type.Array(
    Type.Object({ name: CustomerInfoField, mandatory: Type.Boolean() }),
    { maxItems: 50, description: 'What the platform asks of the other side' },
  ),
  providerRequiredCustomerFields: infoFieldsOfProvider('What the provider needs of our customer.'),
  providerRequiredCounterpartyCustomerFields: infoFieldsOfProvider(
    'What the provider needs of the other side.',
  ),
  enabledTransactionTypes: Type.Array(OneOfWords(TRANSACTION_TYPES), {
    maxItems: TRANSACTION_TYPES.length,
    uniqueItems: true,
  }),
})

/** How codes look and who seems to send them. */
export const EmbeddedWalletConfig = Type.Object({
  appName: Type.Optional(Text(255, { description: 'What the messages call the app' })),
  otpLength: Type.Optional(Type.Integer({ minimum: 6, maximum: 9, description: 'Characters in a code' })),
  alphanumeric: Type.Optional(Type.Boolean({ description: 'Letters in codes as well' })),
  expirationSeconds: Type.Optional(
    Type.Integer({ minimum: 60, maximum: 600, description: 'How long a code is good' }),
  ),
  sendFromEmailAddress: Type.Optional(Email),
  sendFromEmailSenderName: Type.Optional(Text(255)),
  replyToEmailAddress: Type.Optional(Email),
  logoUrl: Type.Optional(
    Type.String({
      format: 'uri',
      pattern: '^https?://',
      maxLength: 512,
      wellFormed: true,
      inWords: HTTP_URL_IN_WORDS,
    }),
  ),
})

/** What the platform's cards do. */
export const CardConfig = Type.Object({
  overClaimPercentMax: Type.Integer({
    minimum: 0,
    maximum: OVER_CLAIM_PERCENT_MAX,
    description:
      'How many per cent above an authorization a merchant may claim, of whose category the table in docs/cards.md says nothing. ' +
      'It counts for purchases that are authorized from then on',
  }),
})

export const USER_VERIFICATIONS = ['required', 'preferred', 'discouraged'] as const

/** Where passkeys of the platform's customers are made and used. */
export const PasskeyConfig = Type.Object({
  rpId: Text(253, { description: 'The relying party id: the domain, without scheme and port' }),
  origins: Type.Array(
    Pattern(
      '^(https://[^\\s/]+|http://localhost(:([0-9]{1,5}|\\*))?|android:apk-key-hash:[A-Za-z0-9_-]{43}|ios:[^\\s]+)$',
      {
        inWords: 'an origin without a path: https://…, http://localhost, android:apk-key-hash:… or ios:…',
        description:
          'A web origin, an Android or an iOS app origin. In sandbox also http://localhost, any port as :*',
      },
    ),
    { minItems: 1, maxItems: 32, uniqueItems: true },
  ),
  userVerification: OneOfWords(
    USER_VERIFICATIONS,
    'preferred unless it is set; required refuses a passkey that did not verify its user. Presence is always checked',
  ),
})

/** Whose identity tokens are believed. */
export const OauthConfig = Type.Object({
  issuers: Type.Array(
    Type.Object({
      issuer: Type.String({
        format: 'uri',
        pattern: '^https://',
        maxLength: 512,
        wellFormed: true,
        inWords: 'a URL that begins with https://',
      }),
      audiences: Type.Optional(
        Type.Array(Text(255), { minItems: 1, maxItems: 64, description: 'The client ids; left out: any' }),
      ),
    }),
    { maxItems: 64 },
  ),
})

const LENIENT_INPUT =
  'Whether members and query parameters that are not described here are passed over; they are refused (400) otherwise'

/** The settings of a platform. */
export const PlatformConfig = Type.Object({
  id: Id('Platform'),
  umaDomain: Type.Optional(UmaDomain),
  proxyUmaSubdomain: Type.Optional(
    Type.String({ description: 'Where UMA requests arrive when umaDomain points here' }),
  ),
  webhookEndpoint: Type.Optional(HttpUrl),
  supportedCurrencies: Type.Array(PlatformCurrencyConfig),
  isRegulatedFinancialInstitution: Type.Boolean({
    description: 'Whether the platform checks the identity of its customers itself',
  }),
  embeddedWalletConfig: EmbeddedWalletConfig,
  passkeyConfig: Type.Optional(PasskeyConfig),
  cardConfig: CardConfig,
  oauthConfig: OauthConfig,
  lenientInput: Type.Boolean({ description: LENIENT_INPUT }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const PlatformConfigUpdateRequest = Type.Object({
  umaDomain: Type.Optional(UmaDomain),
  webhookEndpoint: Type.Optional(
    NullableText(HttpUrl, { description: 'A new one is sent a TEST event. null: no webhooks any more' }),
  ),
  supportedCurrencies: Type.Optional(
    Type.Array(PlatformCurrencyConfig, {
      maxItems: 100,
      description: 'Replaces the whole list; each currency once',
    }),
  ),
  embeddedWalletConfig: Type.Optional(EmbeddedWalletConfig),
  passkeyConfig: Type.Optional(Type.Partial(PasskeyConfig)),
  cardConfig: Type.Optional(CardConfig),
  oauthConfig: Type.Optional(OauthConfig),
  lenientInput: Type.Optional(Type.Boolean({ description: LENIENT_INPUT })),
})

export const config_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/config',
  tag: 'Configuration',
  summary: 'Read the settings',
  responses: { 200: PlatformConfig },
  errors: [],
})

/** Changes the settings that are given and leaves the others. */
export const config_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'PATCH',
  path: '/config',
  tag: 'Configuration',
  summary: 'Change the settings',
  description:
    'Members that are left out keep their value, inside embeddedWalletConfig and passkeyConfig too; ' +
    'supportedCurrencies and oauthConfig are replaced as a whole. All settings together have 48 KiB at most.',
  body: PlatformConfigUpdateRequest,
  bodyBytesMax: 64 * KIB,
  responses: { 200: PlatformConfig },
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'AMOUNT_OUT_OF_RANGE', 'NOT_IMPLEMENTED'],
})

export const config = { config_get, config_update }
