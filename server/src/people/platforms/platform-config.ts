import { OVER_CLAIM_PERCENT_DEFAULT } from '@countersign/contract/cards/over-claims'
import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import {
  type config_get,
  RECONCILIATION_AGE_HOURS_DEFAULT,
  type SandboxConfig as SandboxConfigSchema,
} from '@countersign/contract/platforms/config'
import type { Static } from 'typebox'
import { accountTypeFor } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'

export type SandboxConfig = Static<typeof SandboxConfigSchema>

type ConfigView = SuccessOf<typeof config_get>['body']

type EmbeddedWalletConfig = ConfigView['embeddedWalletConfig']

export type WatchConfig = ConfigView['watchConfig']

export type CurrencyConfig = ConfigView['supportedCurrencies'][number]

/** A platform's settings with all defaults filled in. */
export type PlatformConfig = Omit<
  ConfigView,
  'id' | 'umaDomain' | 'proxyUmaSubdomain' | 'embeddedWalletConfig' | 'createdAt' | 'updatedAt'
> & {
  umaDomain: string
  proxyUmaSubdomain: string
  embeddedWalletConfig: EmbeddedWalletConfig &
    Required<Pick<EmbeddedWalletConfig, 'appName' | 'otpLength' | 'alphanumeric' | 'expirationSeconds'>>
}

export type Mode = Op['mode']

/** The sandbox also starts with a stablecoin, so that people can try it. */
const DEFAULT_CURRENCIES = {
  sandbox: ['USD', 'EUR', 'MXN', 'USDC'],
  production: ['USD', 'EUR', 'MXN'],
} as const satisfies Record<Mode, readonly KnownCurrency[]>

/** Ten million units of each default currency. */
const DEFAULT_UNITS_MAX = 10_000_000n

/** Settings that have a default until the platform sets them. */
type DefaultedSetting =
  | 'oauthConfig'
  | 'omnibusAccounts'
  | 'lenientInput'
  | 'approvalsRequired'
  | 'watchConfig'
  | 'cardConfig'
  | 'riskConfig'
  | 'umaProviderConfig'

/**
 * Builds the settings of a new platform. Until it sets a UMA domain, its addresses are at a subdomain of
 * uma.example, which never resolves (RFC 2606).
 */
export function buildDefaultConfig(
  mode: Mode,
  subdomain: string,
): Omit<PlatformConfig, DefaultedSetting | 'allowedOrigins' | 'sandboxConfig'> {
  return {
    umaDomain: `${subdomain}.uma.example`,
    proxyUmaSubdomain: subdomain,
    supportedCurrencies: DEFAULT_CURRENCIES[mode].map((currencyCode) => ({
      currencyCode,
      minAmount: 1n,
      maxAmount: DEFAULT_UNITS_MAX * 10n ** BigInt(CURRENCIES[currencyCode].decimals),
      requiredCounterpartyFields: [],
      enabledTransactionTypes: ['INCOMING', 'OUTGOING'],
    })),
    isRegulatedFinancialInstitution: false,
    embeddedWalletConfig: {
      appName: 'Countersign',
      otpLength: 6,
      alphanumeric: false,
      expirationSeconds: 300,
    },
  }
}

/** Allows passkeys for pages on the developer's machine. Production has no default origins. */
const SANDBOX_PASSKEYS: PlatformConfig['passkeyConfig'] = {
  rpId: 'localhost',
  origins: ['http://localhost:*'],
  userVerification: 'preferred',
}

/** The issuers whose identity tokens are accepted until the platform sets its own. */
const DEFAULT_OAUTH: PlatformConfig['oauthConfig'] = {
  issuers: [{ issuer: 'https://accounts.google.com' }, { issuer: 'https://appleid.apple.com' }],
}

/** Pages on the developer's machine. Production allows no pages until the platform sets its origins. */
const SANDBOX_ORIGINS: PlatformConfig['allowedOrigins'] = ['http://localhost:*', 'http://127.0.0.1:*']

/**
 * A host that never resolves (RFC 2606), so that invitations can be created in the sandbox before their page
 * exists.
 */
const SANDBOX_INVITATIONS: PlatformConfig['invitationConfig'] = { url: 'https://invitations.example/{code}' }

/** By default, customers may pay the customers of any provider. */
const ALL_UMA_PROVIDERS: PlatformConfig['umaProviderConfig'] = { mode: 'ALL', domains: [] }

/** By default, nothing is held or limited. */
const NO_RISK_RULES: PlatformConfig['riskConfig'] = { fundsHolds: [], velocityLimits: [] }

/** The default settings of the sandbox. */
const SANDBOX_DEFAULT: SandboxConfig = { verification: 'AUTOMATIC', faults: [] }

const DECODED = new WeakMap<PlatformRow['config'], PlatformConfig>()

/**
 * Reads the settings as of the start of the operation. Operations that share a frozen config also share its
 * decoded form.
 */
export function getPlatformConfig(op: Pick<Op, 'platform' | 'mode'>): PlatformConfig {
  const { config } = op.platform
  const known = DECODED.get(config)
  if (known) return known
  const decoded = readPlatformConfig(op, op.platform)
  if (Object.isFrozen(config)) DECODED.set(config, decoded)
  return decoded
}

/** Decodes the settings of a platform's row. The database returns small amounts as numbers. */
export function readPlatformConfig(op: Pick<Op, 'mode'>, row: PlatformRow): PlatformConfig {
  const config = row.config as ReturnType<typeof buildDefaultConfig> & Partial<PlatformConfig>
  const passkeyConfig = config.passkeyConfig ?? (op.mode === 'sandbox' ? SANDBOX_PASSKEYS : undefined)
  const cardConfig = { overClaimPercentMax: OVER_CLAIM_PERCENT_DEFAULT, ...config.cardConfig }
  const oauthConfig = config.oauthConfig ?? (op.mode === 'sandbox' ? DEFAULT_OAUTH : { issuers: [] })
  const { invitationConfig: invitations, ...others } = config
  const invitationConfig = invitations ?? (op.mode === 'sandbox' ? SANDBOX_INVITATIONS : undefined)
  return {
    ...others,
    // Null is stored for a platform that has turned invitations off.
    ...(invitationConfig?.url ? { invitationConfig } : {}),
    ...(passkeyConfig ? { passkeyConfig } : {}),
    cardConfig,
    oauthConfig,
    umaProviderConfig: config.umaProviderConfig ?? ALL_UMA_PROVIDERS,
    allowedOrigins: config.allowedOrigins ?? (op.mode === 'sandbox' ? SANDBOX_ORIGINS : []),
    omnibusAccounts: config.omnibusAccounts ?? false,
    lenientInput: config.lenientInput ?? false,
    approvalsRequired: config.approvalsRequired ?? 1,
    watchConfig: readWatchConfig(config.watchConfig),
    riskConfig: readRiskConfig(config.riskConfig ?? NO_RISK_RULES),
    ...(op.mode === 'sandbox' ? { sandboxConfig: { ...SANDBOX_DEFAULT, ...config.sandboxConfig } } : {}),
    supportedCurrencies: config.supportedCurrencies.map((currency) => ({
      ...currency,
      minAmount: BigInt(currency.minAmount),
      maxAmount: BigInt(currency.maxAmount),
    })),
  }
}

/** Reads the limits of watched values, with defaults. The database returns small amounts as numbers. */
function readWatchConfig(stored: Partial<WatchConfig> | undefined): WatchConfig {
  const {
    railMarks = [],
    positionMarks = [],
    reconciliationAgeHours = RECONCILIATION_AGE_HOURS_DEFAULT,
  } = stored ?? {}
  return {
    railMarks: railMarks.map((mark) => ({ ...mark, amount: BigInt(mark.amount) })),
    positionMarks: positionMarks.map((mark) => ({ ...mark, amount: BigInt(mark.amount) })),
    reconciliationAgeHours,
  }
}

function readRiskConfig({
  fundsHolds,
  velocityLimits,
}: PlatformConfig['riskConfig']): PlatformConfig['riskConfig'] {
  return {
    fundsHolds: fundsHolds.map(({ minAmount, ...rule }) => ({
      ...rule,
      ...(minAmount === undefined ? {} : { minAmount: BigInt(minAmount) }),
    })),
    velocityLimits: velocityLimits.map(({ maxAmount, ...limit }) => ({
      ...limit,
      ...(maxAmount === undefined ? {} : { maxAmount: BigInt(maxAmount) }),
    })),
  }
}

/** Finds the platform's settings for a currency. Undefined if it does not support the currency. */
export function findCurrencyConfig(config: PlatformConfig, currency: string): CurrencyConfig | undefined {
  return config.supportedCurrencies.find(({ currencyCode }) => currencyCode === currency)
}

/**
 * Throws 400 if the settings do not allow this currency in this direction, or the amount is outside the
 * limits. `amount` is in the smallest unit. A currency without settings has no limits.
 */
export function checkCurrencyLimits(
  config: PlatformConfig,
  type: 'INCOMING' | 'OUTGOING',
  currency: string,
  amount: bigint,
  field: string,
): void {
  const limits = findCurrencyConfig(config, currency)
  if (!limits) return
  const { minAmount, maxAmount } = limits
  if (!limits.enabledTransactionTypes.includes(type))
    throw new ApiError('INVALID_CURRENCY', {
      message: `The platform does not ${type === 'OUTGOING' ? 'send' : 'receive'} ${currency}.`,
      details: { field },
    })
  if (amount < minAmount || amount > maxAmount)
    throw new ApiError('AMOUNT_OUT_OF_RANGE', {
      message: `A payment in ${currency} must be from ${minAmount} to ${maxAmount}, but this one is ${amount}.`,
      details: { field, minAmount, maxAmount, currency },
    })
}

/**
 * Lists the currencies in which the platform and each approved customer have an account, except for wallets.
 */
export function listAccountCurrencies(config: Pick<PlatformConfig, 'supportedCurrencies'>): string[] {
  return config.supportedCurrencies
    .map(({ currencyCode }) => currencyCode)
    .filter((code) => accountTypeFor(code) !== undefined)
}

/** Converts the settings to their API form. */
export function toPlatformConfigView(op: Pick<Op, 'mode'>, row: PlatformRow): ConfigView {
  return {
    id: row.id,
    ...readPlatformConfig(op, row),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
