import { type Static, Type } from 'typebox'
import { OVER_CLAIM_PERCENT_MAX } from '../cards/over-claims.ts'
import { endpoint, KIB, type Permission } from '../core/endpoint.ts'
import { EVM_NETWORKS } from '../core/evm.ts'
import { CurrencyCode, Email, HTTP_URL_IN_WORDS, HttpUrl, UmaDomain } from '../core/formats.ts'
import { Id } from '../core/ids.ts'
import { Int64, NullableText, OneOfWords, Pattern, Text, Timestamp } from '../core/schema.ts'
import { CustomerInfoField } from '../customers/customer-info.ts'
import { RiskConfig } from '../payments/risk-config.ts'
import { TRANSACTION_TYPES } from '../payments/transactions.ts'
import { FAULT_RULES_MAX, FaultRule } from '../sandbox/faults.ts'

const infoFieldsOfProvider = (description: string) =>
  Type.Optional(
    Type.Array(CustomerInfoField, { readOnly: true, description: `${description} Ignored on input.` }),
  )

/** The settings of a platform for one currency. Amounts are in its smallest unit. */
export const PlatformCurrencyConfig = Type.Object({
  currencyCode: CurrencyCode,
  minAmount: Int64({ minimum: 0, description: 'Smallest amount of one payment' }),
  maxAmount: Int64({ minimum: 0, description: 'Largest amount of one payment, at least minAmount' }),
  requiredCounterpartyFields: Type.Array(
    Type.Object({ name: CustomerInfoField, mandatory: Type.Boolean() }),
    { maxItems: 50, description: 'The information that the platform requires about the other side' },
  ),
  providerRequiredCustomerFields: infoFieldsOfProvider(
    'The information that the provider needs about our customer.',
  ),
  providerRequiredCounterpartyCustomerFields: infoFieldsOfProvider(
    'The information that the provider needs about the other side.',
  ),
  enabledTransactionTypes: Type.Array(OneOfWords(TRANSACTION_TYPES), {
    maxItems: TRANSACTION_TYPES.length,
    uniqueItems: true,
  }),
})

/** The networks on which new embedded wallets can be. */
export const WALLET_NETWORKS = ['SPARK', ...EVM_NETWORKS] as const

/** The network of new wallets, the form of codes and their sender. */
export const EmbeddedWalletConfig = Type.Object({
  network: Type.Optional(
    OneOfWords(
      WALLET_NETWORKS,
      'Where new wallets are: SPARK unless it is set, or a chain that a rail of this server is on. A wallet stays where it was made',
    ),
  ),
  appName: Type.Optional(Text(255, { description: 'The name of the app in messages' })),
  otpLength: Type.Optional(
    Type.Integer({ minimum: 6, maximum: 9, description: 'Number of characters in a code' }),
  ),
  alphanumeric: Type.Optional(Type.Boolean({ description: 'True if codes also contain letters' })),
  expirationSeconds: Type.Optional(
    Type.Integer({ minimum: 60, maximum: 600, description: 'How long a code is valid' }),
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
      patternText: HTTP_URL_IN_WORDS,
    }),
  ),
})

/** The settings of the platform's cards. */
export const CardConfig = Type.Object({
  overClaimPercentMax: Type.Integer({
    minimum: 0,
    maximum: OVER_CLAIM_PERCENT_MAX,
    description:
      'How many per cent above an authorization a merchant may claim if the table in docs/cards.md does not have its category. ' +
      'A change applies to purchases that are authorized afterwards',
  }),
})

export const USER_VERIFICATIONS = ['required', 'preferred', 'discouraged'] as const

/** The relying party and the origins of passkeys of the platform's customers. */
export const PasskeyConfig = Type.Object({
  rpId: Text(253, { description: 'The relying party id: the domain, without scheme and port' }),
  origins: Type.Array(
    Pattern(
      '^(https://[^\\s/@?#\\\\]+|http://localhost(:([0-9]{1,5}|\\*))?|android:apk-key-hash:[A-Za-z0-9_-]{43}|ios:[^\\s]+)$',
      {
        patternText: 'an origin without a path: https://…, http://localhost, android:apk-key-hash:… or ios:…',
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

const AllowedOrigins = Type.Array(
  Pattern('^(https://[^\\s/@?#\\\\]+|http://(localhost|127\\.0\\.0\\.1)(:([0-9]{1,5}|\\*))?)$', {
    patternText: 'an origin without a path: https://…, http://localhost or http://127.0.0.1',
    description: 'In sandbox also the two of this machine, any port as :*',
  }),
  {
    maxItems: 32,
    uniqueItems: true,
    description: "The origins of the pages that may call with a customer's token. Replaced as a whole",
  },
)

/** An issuer whose identity tokens are accepted. */
export const OauthConfig = Type.Object({
  issuers: Type.Array(
    Type.Object({
      issuer: Type.String({
        format: 'uri',
        pattern: '^https://',
        maxLength: 512,
        wellFormed: true,
        patternText: 'a URL that begins with https://',
      }),
      audiences: Type.Optional(
        Type.Array(Text(255), {
          minItems: 1,
          maxItems: 64,
          description: 'The accepted client ids. Left out: any',
        }),
      ),
    }),
    { maxItems: 64 },
  ),
})

export const SANDBOX_VERIFICATIONS = ['AUTOMATIC', 'MANUAL'] as const

/** Settings of the simulated outside world. */
export const SandboxConfig = Type.Object({
  verification: OneOfWords(
    SANDBOX_VERIFICATIONS,
    'AUTOMATIC: a new customer is decided at once, by magic values. MANUAL: as in production, it is PENDING until its verification is decided, by the magic values of POST /verifications or by a person',
  ),
  faults: Type.Array(FaultRule, {
    maxItems: FAULT_RULES_MAX,
    description:
      'What goes wrong, to test how a program bears it. Of the rules that are for a call the first is applied. Replaced as a whole',
  }),
})

const InvitationUrl = Pattern('^https://[^\\s{}]*\\{code\\}[^\\s{}]*$', {
  maxLength: 1024,
  patternText: 'a URL that begins with https:// and has {code} in it, once',
  description: 'The URL of an invitation; {code} stands for its code',
})

/** The URL of the platform's invitations. Without it the platform creates none. */
export const InvitationConfig = Type.Object({ url: InvitationUrl })

export const UMA_PROVIDER_MODES = ['ALL', 'ALLOW_LIST'] as const

/** The providers whose customers the platform's customers may pay. */
export const UmaProviderConfig = Type.Object({
  mode: OneOfWords(UMA_PROVIDER_MODES, 'ALLOW_LIST: only those in domains, and the platform itself'),
  domains: Type.Array(UmaDomain, { maxItems: 200, uniqueItems: true, description: 'The allow list' }),
})

const OMNIBUS_ACCOUNTS =
  "True if the platform's own internal accounts hold its customers' money (FBO). Then a quote from one of them names the customer " +
  'for whom it pays in source.customerId'

const LENIENT_INPUT = 'True: unknown fields and query parameters are ignored; false: they are refused (400)'

export const APPROVALS_REQUIRED_MAX = 5

export const RECONCILIATION_AGE_HOURS_DEFAULT = 96

export const RailMark = Type.Object({
  rail: Text(40, { description: 'A rail of the platform, as in GET /overview' }),
  currencyCode: CurrencyCode,
  amount: Int64({ minimum: 0, description: 'The low-water mark, in the smallest unit' }),
})

export const PositionMark = Type.Object({
  currencyCode: CurrencyCode,
  amount: Int64({ description: 'The low-water mark, in the smallest unit. Below 0 for a short position' }),
})

/** The limits of what is watched that the operator sets here. */
export const WatchConfig = Type.Object({
  railMarks: Type.Array(RailMark, {
    maxItems: 100,
    description: 'The balances, by the books, below which rails need attention. Replaced as a whole',
  }),
  positionMarks: Type.Array(PositionMark, {
    maxItems: 100,
    description: 'The positions below which currencies need attention. Replaced as a whole',
  }),
  reconciliationAgeHours: Type.Integer({
    minimum: 1,
    maximum: 8_760,
    description: `How old the latest statement of a rail may be. ${RECONCILIATION_AGE_HOURS_DEFAULT} unless it is set`,
  }),
})

const ApprovalsRequired = Type.Integer({
  minimum: 1,
  maximum: APPROVALS_REQUIRED_MAX,
  description:
    'How many members have to approve an action of an agent, an incoming payment, the release of a screening, the lift of a hold, and where money in ' +
    'suspense goes. Above 1 no API token approves them',
})

/** The settings of a platform. */
export const PlatformConfig = Type.Object({
  id: Id('Platform'),
  umaDomain: Type.Optional(UmaDomain),
  proxyUmaSubdomain: Type.Optional(
    Type.String({ description: 'The host for UMA requests, to which umaDomain must point' }),
  ),
  webhookEndpoint: Type.Optional(HttpUrl),
  supportedCurrencies: Type.Array(PlatformCurrencyConfig),
  isRegulatedFinancialInstitution: Type.Boolean({
    description: 'True if the platform itself verifies the identity of its customers',
  }),
  embeddedWalletConfig: EmbeddedWalletConfig,
  passkeyConfig: Type.Optional(PasskeyConfig),
  cardConfig: CardConfig,
  oauthConfig: OauthConfig,
  invitationConfig: Type.Optional(InvitationConfig),
  umaProviderConfig: UmaProviderConfig,
  allowedOrigins: AllowedOrigins,
  omnibusAccounts: Type.Boolean({ description: OMNIBUS_ACCOUNTS }),
  lenientInput: Type.Boolean({ description: LENIENT_INPUT }),
  approvalsRequired: ApprovalsRequired,
  watchConfig: WatchConfig,
  riskConfig: RiskConfig,
  sandboxConfig: Type.Optional(SandboxConfig),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const PlatformConfigUpdateRequest = Type.Object({
  umaDomain: Type.Optional(UmaDomain),
  webhookEndpoint: Type.Optional(
    NullableText(HttpUrl, { description: 'A new endpoint gets a TEST event. null: no more webhooks' }),
  ),
  supportedCurrencies: Type.Optional(
    Type.Array(PlatformCurrencyConfig, {
      maxItems: 100,
      description: 'Replaces the whole list. Each currency may appear once',
    }),
  ),
  embeddedWalletConfig: Type.Optional(EmbeddedWalletConfig),
  passkeyConfig: Type.Optional(Type.Partial(PasskeyConfig)),
  cardConfig: Type.Optional(CardConfig),
  oauthConfig: Type.Optional(OauthConfig),
  invitationConfig: Type.Optional(
    Type.Object({
      url: NullableText(InvitationUrl, { description: 'null: the platform makes no invitations' }),
    }),
  ),
  umaProviderConfig: Type.Optional(Type.Partial(UmaProviderConfig)),
  allowedOrigins: Type.Optional(AllowedOrigins),
  omnibusAccounts: Type.Optional(Type.Boolean({ description: OMNIBUS_ACCOUNTS })),
  lenientInput: Type.Optional(Type.Boolean({ description: LENIENT_INPUT })),
  approvalsRequired: Type.Optional(ApprovalsRequired),
  watchConfig: Type.Optional(Type.Partial(WatchConfig)),
  riskConfig: Type.Optional(Type.Partial(RiskConfig)),
  sandboxConfig: Type.Optional(Type.Partial(SandboxConfig)),
})

/**
 * The permission that a change of each setting needs in addition to MANAGE, because the setting makes the
 * decision or delegates it: the server behind webhookEndpoint approves incoming payments by its responses.
 */
export const SETTING_PERMISSIONS: Readonly<
  Record<keyof Static<typeof PlatformConfigUpdateRequest>, Permission | null>
> = {
  umaDomain: null,
  webhookEndpoint: 'APPROVE',
  supportedCurrencies: null,
  embeddedWalletConfig: null,
  passkeyConfig: null,
  cardConfig: null,
  oauthConfig: null,
  invitationConfig: null,
  umaProviderConfig: null,
  allowedOrigins: null,
  omnibusAccounts: null,
  lenientInput: null,
  approvalsRequired: 'APPROVE',
  watchConfig: null,
  riskConfig: 'APPROVE',
  sandboxConfig: null,
}

export const config_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/config',
  tag: 'Configuration',
  summary: 'Read the settings',
  description:
    'Answers all settings of the platform as they stand: its currencies, webhook endpoint, wallets, ' +
    'passkeys, identity providers and UMA providers. Settings that were never changed have their ' +
    'defaults.',
  responses: { 200: PlatformConfig },
  errors: [],
})

/** Changes the given settings and keeps the others. */
export const config_update = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  furtherPermission: {
    permission: 'APPROVE',
    when: 'webhookEndpoint, approvalsRequired or riskConfig changes',
  },
  method: 'PATCH',
  path: '/config',
  tag: 'Configuration',
  summary: 'Change the settings',
  description:
    'Changes the settings that the request names and answers all of them; the next call already follows ' +
    'them. Omitted members keep their value, inside embeddedWalletConfig, passkeyConfig, umaProviderConfig, ' +
    'watchConfig, riskConfig and sandboxConfig too; supportedCurrencies, oauthConfig and allowedOrigins are replaced as a whole. ' +
    'All settings together are limited to 48 KiB.',
  body: PlatformConfigUpdateRequest,
  bodyBytesMax: 64 * KIB,
  responses: { 200: PlatformConfig },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'INVALID_CURRENCY', 'AMOUNT_OUT_OF_RANGE', 'NOT_IMPLEMENTED'],
})

export const config = { config_get, config_update }
