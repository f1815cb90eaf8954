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

/** A platform's settings, with all defaults filled in. */
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

/** The sandbox also starts with a stablecoin, for people who try it out. */
const DEFAULT_CURRENCIES = {
  sandbox: ['USD', 'EUR', 'MXN', 'USDC'],
  production: ['USD', 'EUR', 'MXN'],
} as const satisfies Record<Mode, readonly KnownCurrency[]>

/** Ten million in the unit of each default currency. */
const DEFAULT_UNITS_MAX = 10_000_000n

/** The settings with a default until the platform sets them. */
type Defaulted =
  | 'oauthConfig'
  | 'omnibusAccounts'
  | 'lenientInput'
  | 'approvalsRequired'
  | 'watchConfig'
  | 'cardConfig'
  | 'riskConfig'
  | 'umaProviderConfig'

/**
 * The settings of a new platform. Until it sets an UMA domain, its addresses are at a subdomain of
 * uma.example, a name that never resolves (RFC 2606).
 */
export function defaultPlatformConfig(
  mode: Mode,
  subdomain: string,
): Omit<PlatformConfig, Defaulted | 'allowedOrigins' | 'sandboxConfig'> {
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

/** Passkeys of pages on the developer's own machine. Production has no default origins. */
const SANDBOX_PASSKEYS: PlatformConfig['passkeyConfig'] = {
  rpId: 'localhost',
  origins: ['http://localhost:*'],
  userVerification: 'preferred',
}

/** The issuers of accepted identity tokens, until the platform sets its own. */
const DEFAULT_OAUTH: PlatformConfig['oauthConfig'] = {
  issuers: [{ issuer: 'https://accounts.google.com' }, { issuer: 'https://appleid.apple.com' }],
}

/** Pages on the developer's own machine. Production allows none until the platform sets its origins. */
const SANDBOX_ORIGINS: PlatformConfig['allowedOrigins'] = ['http://localhost:*', 'http://127.0.0.1:*']

/** A name that never resolves (RFC 2606), so that the sandbox makes invitations before their page exists. */
const SANDBOX_INVITATIONS: PlatformConfig['invitationConfig'] = { url: 'https://invitations.example/{code}' }

/** By default, its customers may pay the customers of every provider. */
const ALL_UMA_PROVIDERS: PlatformConfig['umaProviderConfig'] = { mode: 'ALL', domains: [] }

/** By default nothing is held or limited. */
const NO_RISK_RULES: PlatformConfig['riskConfig'] = { fundsHolds: [], velocityLimits: [] }

/** The default behavior of the sandbox. */
const SANDBOX_DEFAULT: SandboxConfig = { verification: 'AUTOMATIC', faults: [] }

const DECODED = new WeakMap<PlatformRow['config'], PlatformConfig>()

/** The settings at the beginning of the operation. Operations that share a frozen config share its decoded form. */
export function platformConfig(op: Pick<Op, 'platform' | 'mode'>): PlatformConfig {
  const { config } = op.platform
  const known = DECODED.get(config)
  if (known) return known
  const decoded = readPlatformConfig(op, op.platform)
  if (Object.isFrozen(config)) DECODED.set(config, decoded)
  return decoded
}

/** Decodes the settings of a row. The database returns small amounts as numbers. */
export function readPlatformConfig(op: Pick<Op, 'mode'>, row: PlatformRow): PlatformConfig {
  const config = row.config as ReturnType<typeof defaultPlatformConfig> & Partial<PlatformConfig>
  const passkeyConfig = config.passkeyConfig ?? (op.mode === 'sandbox' ? SANDBOX_PASSKEYS : undefined)
  const cardConfig = { overClaimPercentMax: OVER_CLAIM_PERCENT_DEFAULT, ...config.cardConfig }
  const oauthConfig = config.oauthConfig ?? (op.mode === 'sandbox' ? DEFAULT_OAUTH : { issuers: [] })
  const { invitationConfig: invitations, ...others } = config
  const invitationConfig = invitations ?? (op.mode === 'sandbox' ? SANDBOX_INVITATIONS : undefined)
  return {
    ...others,
    // A platform that makes no invitations has stored null.
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

/** The limits of watched values, with defaults. The database returns small amounts as numbers. */
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

/** The platform's settings of one currency, or undefined if it does not support the currency. */
export function currencyConfig(config: PlatformConfig, currency: string): CurrencyConfig | undefined {
  return config.supportedCurrencies.find(({ currencyCode }) => currencyCode === currency)
}

/**
 * Errors: 400 if the settings do not allow this currency in this direction, or not this amount. `amount` is
 * in its smallest unit; a currency without settings has no limits.
 */
export function checkCurrencyLimits(
  config: PlatformConfig,
  type: 'INCOMING' | 'OUTGOING',
  currency: string,
  amount: bigint,
  field: string,
): void {
  const limits = currencyConfig(config, currency)
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

/** The currencies in which the platform and each approved customer have an account: all but the wallets'. */
export function accountCurrencies(config: Pick<PlatformConfig, 'supportedCurrencies'>): string[] {
  return config.supportedCurrencies
    .map(({ currencyCode }) => currencyCode)
    .filter((code) => accountTypeFor(code) !== undefined)
}

/** The settings as the API shows them. */
export function platformConfigView(op: Pick<Op, 'mode'>, row: PlatformRow): ConfigView {
  return {
    id: row.id,
    ...readPlatformConfig(op, row),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
