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

const providerInfoFields = (description: string) =>
  Type.Optional(
    Type.Array(CustomerInfoField, { readOnly: true, description: `${description} Ignored on input.` }),
  )

/** A platform's settings for one currency. Amounts are in its smallest unit. */
export const PlatformCurrencyConfig = Type.Object({
  currencyCode: CurrencyCode,
  minAmount: Int64({ minimum: 0, description: 'Minimum amount of one payment' }),
  maxAmount: Int64({ minimum: 0, description: 'Maximum amount of one payment, at least minAmount' }),
  requiredCounterpartyFields: Type.Array(
    Type.Object({ name: CustomerInfoField, mandatory: Type.Boolean() }),
    { maxItems: 50, description: 'The information that the platform requires about the counterparty' },
  ),
  providerRequiredCustomerFields: providerInfoFields(
    'The information that the provider needs about the customer.',
  ),
  providerRequiredCounterpartyCustomerFields: providerInfoFields(
    'The information that the provider needs about the counterparty.',
  ),
  enabledTransactionTypes: Type.Array(OneOfWords(TRANSACTION_TYPES), {
    maxItems: TRANSACTION_TYPES.length,
    uniqueItems: true,
  }),
})

/** Networks on which embedded wallets can be created. */
export const WALLET_NETWORKS = ['SPARK', ...EVM_NETWORKS] as const

/** The network of new wallets, and the format and sender of one-time codes. */
export const EmbeddedWalletConfig = Type.Object({
  network: Type.Optional(
    OneOfWords(
      WALLET_NETWORKS,
      "The network of new wallets: SPARK (the default), or the chain of one of this server's rails. Existing wallets keep their network",
    ),
  ),
  appName: Type.Optional(Text(255, { description: 'The app name in messages' })),
  otpLength: Type.Optional(
    Type.Integer({ minimum: 6, maximum: 9, description: 'Number of characters in a code' }),
  ),
  alphanumeric: Type.Optional(Type.Boolean({ description: 'True if codes also contain letters' })),
  expirationSeconds: Type.Optional(
    Type.Integer({ minimum: 60, maximum: 600, description: 'The seconds for which a code is valid' }),
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
      'The percentage above an authorization that a merchant may claim, for categories that the table in docs/cards.md does not list. ' +
      'A change applies to later authorizations',
  }),
})

export const USER_VERIFICATIONS = ['required', 'preferred', 'discouraged'] as const

/** The relying party and allowed origins of customers' passkeys. */
export const PasskeyConfig = Type.Object({
  rpId: Text(253, { description: 'The relying party id: the domain, without scheme and port' }),
  origins: Type.Array(
    Pattern(
      '^(https://[^\\s/@?#\\\\]+|http://localhost(:([0-9]{1,5}|\\*))?|android:apk-key-hash:[A-Za-z0-9_-]{43}|ios:[^\\s]+)$',
      {
        patternText: 'an origin without a path: https://…, http://localhost, android:apk-key-hash:… or ios:…',
        description:
          'A web origin, or the origin of an Android or iOS app. In the sandbox also http://localhost; :* allows any port',
      },
    ),
    { minItems: 1, maxItems: 32, uniqueItems: true },
  ),
  userVerification: OneOfWords(
    USER_VERIFICATIONS,
    'Default: preferred. required rejects a passkey that did not verify its user. User presence is always checked',
  ),
})

const AllowedOrigins = Type.Array(
  Pattern('^(https://[^\\s/@?#\\\\]+|http://(localhost|127\\.0\\.0\\.1)(:([0-9]{1,5}|\\*))?)$', {
    patternText: 'an origin without a path: https://…, http://localhost or http://127.0.0.1',
    description: 'In the sandbox also http://localhost and http://127.0.0.1; :* allows any port',
  }),
  {
    maxItems: 32,
    uniqueItems: true,
    description: "The origins of pages that may call the API with a customer's token. Replaced as a whole",
  },
)

/** Issuers whose ID tokens are accepted. */
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
          description: 'The accepted client ids. Default: any',
        }),
      ),
    }),
    { maxItems: 64 },
  ),
})

export const SANDBOX_VERIFICATIONS = ['AUTOMATIC', 'MANUAL'] as const

/** Settings of the sandbox simulators. */
export const SandboxConfig = Type.Object({
  verification: OneOfWords(
    SANDBOX_VERIFICATIONS,
    "AUTOMATIC: magic values decide a new customer's verification immediately. MANUAL: as in production, " +
      'the customer is PENDING until the verification is decided, by the magic values of POST ' +
      '/verifications or by a reviewer',
  ),
  faults: Type.Array(FaultRule, {
    maxItems: FAULT_RULES_MAX,
    description:
      'Simulated faults, to test how a client handles them. The first rule that matches a call applies. The list is replaced as a whole',
  }),
})

const InvitationUrl = Pattern('^https://[^\\s{}]*\\{code\\}[^\\s{}]*$', {
  maxLength: 1024,
  patternText: 'a URL that begins with https:// and has {code} in it, once',
  description: 'The URL of an invitation. {code} is replaced with its code',
})

/** The URL of the platform's invitation page. Without it, invitations are disabled. */
export const InvitationConfig = Type.Object({ url: InvitationUrl })

export const UMA_PROVIDER_MODES = ['ALL', 'ALLOW_LIST'] as const

/** Providers whose customers can be paid by the platform's customers. */
export const UmaProviderConfig = Type.Object({
  mode: OneOfWords(
    UMA_PROVIDER_MODES,
    'ALL: every known provider. ALLOW_LIST: only the providers in domains, and the platform itself',
  ),
  domains: Type.Array(UmaDomain, { maxItems: 200, uniqueItems: true, description: 'The allow list' }),
})

const OMNIBUS_ACCOUNTS =
  "True if the platform's own internal accounts hold its customers' money (FBO). A quote from one of " +
  'them then requires source.customerId, the customer for whom it pays'

const LENIENT_INPUT = 'True: unknown fields and query parameters are ignored; False: they return 400'

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

/** Thresholds for rails, currencies and statements that need attention. */
export const WatchConfig = Type.Object({
  railMarks: Type.Array(RailMark, {
    maxItems: 100,
    description: 'The ledger balances below which rails need attention. Replaced as a whole',
  }),
  positionMarks: Type.Array(PositionMark, {
    maxItems: 100,
    description: 'The positions below which currencies need attention. Replaced as a whole',
  }),
  reconciliationAgeHours: Type.Integer({
    minimum: 1,
    maximum: 8_760,
    description: `The maximum age of a rail's latest statement, in hours. Default: ${RECONCILIATION_AGE_HOURS_DEFAULT}`,
  }),
})

const ApprovalsRequired = Type.Integer({
  minimum: 1,
  maximum: APPROVALS_REQUIRED_MAX,
  description:
    "The number of members who must approve an agent's action, an incoming payment, the release of a " +
    'screening, the lifting of a hold, or the destination of money in suspense. Above 1, API tokens ' +
    'cannot approve them',
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
    description: "True if the platform itself verifies its customers' identity",
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
    NullableText(HttpUrl, { description: 'A new endpoint receives a TEST event. null disables webhooks' }),
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
      url: NullableText(InvitationUrl, { description: 'null disables invitations' }),
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
 * The permission needed to change each setting, in addition to MANAGE. These settings decide about money or
 * delegate that decision: for example, the responses of webhookEndpoint approve incoming payments.
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
    'Returns all current settings of the platform: its currencies, webhook endpoint, wallets, ' +
    'passkeys, identity providers and UMA providers. Settings that were never changed have their ' +
    'default values.',
  responses: { 200: PlatformConfig },
  errors: [],
})

/** Changes the given settings and leaves the others unchanged. */
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
    'Changes the settings in the request and returns all settings. The change takes effect on the next ' +
    'call. Omitted properties keep their value, also inside embeddedWalletConfig, passkeyConfig, ' +
    'umaProviderConfig, watchConfig, riskConfig and sandboxConfig; supportedCurrencies, oauthConfig and ' +
    'allowedOrigins are replaced as a whole. All settings together are limited to 48 KiB.',
  body: PlatformConfigUpdateRequest,
  bodyBytesMax: 64 * KIB,
  responses: { 200: PlatformConfig },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'INVALID_CURRENCY', 'AMOUNT_OUT_OF_RANGE', 'NOT_IMPLEMENTED'],
})

export const config = { config_get, config_update }
