import { OVER_CLAIM_PERCENT_DEFAULT } from '@countersign/contract/cards/over-claims'
import { CURRENCIES, type KnownCurrency } from '@countersign/contract/core/currencies'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import type { config_get, config_update } from '@countersign/contract/platforms/config'
import { makeInternalAccount, managedAccountType } from '../accounts/accounts.ts'
import { expectRow, insert, update, type Write } from '../db/commit/writes.ts'
import type { Read } from '../db/read/read.ts'
import type { PlatformRow } from '../db/schema/tables.ts'
import { newId, type Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { present } from '../op/present.ts'
import type { Enclave } from '../ports/enclave.ts'
import {
  changePasskeys,
  changeSandbox,
  checkCurrencies,
  checkEndpoint,
  checkInvitationUrl,
  checkOrigins,
  checkSender,
  type SandboxConfig,
} from './config-checks.ts'
import { firstSecret } from './first-secret.ts'
import { checkIssuers } from './issuers.ts'
import {
  hasPlatforms,
  selectOldestPlatform,
  selectOpenPlatform,
  selectOpenPlatforms,
  selectPlatform,
} from './store.ts'

type ConfigView = SuccessOf<typeof config_get>['body']
type EmbeddedWalletConfig = ConfigView['embeddedWalletConfig']
export type CurrencyConfig = ConfigView['supportedCurrencies'][number]

/** The settings of a platform: every member that has a default is there. */
export type PlatformConfig = Omit<
  ConfigView,
  'id' | 'umaDomain' | 'proxyUmaSubdomain' | 'embeddedWalletConfig' | 'createdAt' | 'updatedAt'
> & {
  umaDomain: string
  proxyUmaSubdomain: string
  embeddedWalletConfig: EmbeddedWalletConfig &
    Required<Pick<EmbeddedWalletConfig, 'appName' | 'otpLength' | 'alphanumeric' | 'expirationSeconds'>>
}

type Mode = Op['mode']

/** The sandbox also starts with a stablecoin, to show one to those who try it out. */
const DEFAULT_CURRENCIES = {
  sandbox: ['USD', 'EUR', 'MXN', 'USDC'],
  production: ['USD', 'EUR', 'MXN'],
} as const satisfies Record<Mode, readonly KnownCurrency[]>

/** Ten million in the unit of each default currency. */
const DEFAULT_UNITS_MAX = 10_000_000n
const UMA_SUBDOMAIN_BYTES = 5

/** The settings that have a default until the platform says otherwise. */
type Defaulted = 'oauthConfig' | 'lenientInput' | 'approvalsRequired' | 'cardConfig' | 'umaProviderConfig'

/**
 * The settings of a new platform. Until it sets a UMA domain, its addresses are at a subdomain of uma.example, a name that
 * never resolves (RFC 2606).
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

/** A new platform with its own accounts. A regulated one verifies its customers itself. */
export function makePlatform(
  from: {
    readonly now: Date
    readonly random: (bytes: number) => Uint8Array
    readonly mode: Mode
    readonly enclave: Pick<Enclave, 'keyGeneration'>
  },
  name: string,
  isRegulated = false,
): { readonly row: PlatformRow; readonly writes: readonly Write[] } {
  const config = {
    ...defaultPlatformConfig(from.mode, Buffer.from(from.random(UMA_SUBDOMAIN_BYTES)).toString('hex')),
    isRegulatedFinancialInstitution: isRegulated,
  }
  const { row, writes } = openPlatform(from.now, name, config)
  return { row, writes: [...writes, insert('webhook_secrets', firstSecret(row, from.enclave.keyGeneration))] }
}

/**
 * An empty platform that replaces this one: with its name, settings and tokens, in real time. The database moves what stays
 * (`db/functions/platform-succeeded.ts`). Guard: the platform is unchanged. Error: 409 where it was already reset.
 */
export async function succeedPlatform(
  op: Op,
): Promise<{ readonly row: PlatformRow; readonly writes: readonly Write[] }> {
  const { id, name, config, version, closed_at } = await selectPlatform(op)
  if (closed_at)
    throw new ApiError('CONFLICT', { message: 'The platform was reset by another request meanwhile.' })
  const realNow = new Date(op.now.getTime() - Number(op.platform.clock_offset_ms))
  const successor = openPlatform(realNow, name, config)
  const closed = {
    closed_at: realNow,
    successor_id: successor.row.id,
    version: version + 1,
    updated_at: realNow,
  }
  return {
    row: successor.row,
    writes: [...successor.writes, update('platforms', id, { version, closed_at: null }, closed)],
  }
}

function openPlatform(
  now: Date,
  name: string,
  config: PlatformRow['config'],
): { readonly row: PlatformRow; readonly writes: readonly Write[] } {
  const row: PlatformRow = {
    id: newId('Platform', now),
    name,
    config,
    clock_offset_ms: 0n,
    version: 1,
    closed_at: null,
    successor_id: null,
    created_at: now,
    updated_at: now,
  }
  const owner: Pick<Op, 'now' | 'platform' | 'newId'> = {
    now,
    platform: row,
    newId: (kind) => newId(kind, now),
  }
  const { supportedCurrencies } = config as Pick<PlatformConfig, 'supportedCurrencies'>
  const accounts = accountCurrencies({ supportedCurrencies }).flatMap((currency) =>
    makeInternalAccount(owner, null, currency),
  )
  return { row, writes: [insert('platforms', row), ...accounts] }
}

/** Passkeys of pages on the developer's own machine. Production has none until the platform sets its origins. */
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

/** Until the platform says otherwise, its customers may pay those of every provider. */
const ALL_UMA_PROVIDERS: PlatformConfig['umaProviderConfig'] = { mode: 'ALL', domains: [] }

/** What the sandbox does until the platform says otherwise. */
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

/**
 * The current platform, for writes that its version guards. Error: 503 where it was reset during the request; a repetition
 * of the request finds the new one.
 */
export async function findPlatform(op: Op): Promise<PlatformRow> {
  const platform = await selectPlatform(op)
  if (platform.closed_at)
    throw new ApiError('UNAVAILABLE', { message: 'The platform was reset meanwhile. Try again.' })
  return platform
}

/** Whether the platform accepts unknown members. Read only when one is sent, which is rare. */
export async function isLenient(op: Op): Promise<boolean> {
  return readPlatformConfig(op, await findPlatform(op)).lenientInput
}

/** Marks a change of the platform. Guard: the platform is unchanged. */
export function platformChanged(op: Op, { id, version }: PlatformRow): Write {
  return update('platforms', id, { version }, { version: version + 1, updated_at: op.now })
}

/** Guard: the platform is not reset. So the writes either move to the next platform with its tokens, or do not happen. */
export function platformIsOpen({ id }: Pick<PlatformRow, 'id'>): Write {
  return expectRow('platforms', id, { closed_at: null })
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
    lenientInput: config.lenientInput ?? false,
    approvalsRequired: config.approvalsRequired ?? 1,
    ...(op.mode === 'sandbox' ? { sandboxConfig: { ...SANDBOX_DEFAULT, ...config.sandboxConfig } } : {}),
    supportedCurrencies: config.supportedCurrencies.map((currency) => ({
      ...currency,
      minAmount: BigInt(currency.minAmount),
      maxAmount: BigInt(currency.maxAmount),
    })),
  }
}

/** The platform's settings of one currency, or undefined where it does not support it. */
export function currencyConfig(config: PlatformConfig, currency: string): CurrencyConfig | undefined {
  return config.supportedCurrencies.find(({ currencyCode }) => currencyCode === currency)
}

/**
 * Errors: 400 where the settings do not allow this currency in this direction, or not this amount. `amount` is in its
 * smallest unit; a currency without settings has no limits.
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
      details: { field, minAmount, maxAmount },
    })
}

/** The currencies in which the platform and each approved customer have an account: all but that of the wallets. */
export function accountCurrencies(config: Pick<PlatformConfig, 'supportedCurrencies'>): string[] {
  return config.supportedCurrencies
    .map(({ currencyCode }) => currencyCode)
    .filter((code) => managedAccountType(code) !== undefined)
}

/**
 * Applies a change to settings. The list of currencies is replaced as a whole; elsewhere members left out keep their values.
 * Errors: 400 that names the member, for an endpoint that is not a URL, a currency that is unknown or given twice, and
 * crossed limits.
 */
export function changePlatformConfig(
  op: Pick<Op, 'mode' | 'messageRules' | 'platform'>,
  config: PlatformConfig,
  change: BodyOf<typeof config_update>,
): PlatformConfig {
  const {
    umaDomain,
    webhookEndpoint,
    supportedCurrencies,
    embeddedWalletConfig,
    passkeyConfig,
    cardConfig,
    oauthConfig,
    invitationConfig,
    umaProviderConfig,
    allowedOrigins,
    lenientInput,
    approvalsRequired,
    sandboxConfig,
  } = change
  const { webhookEndpoint: endpointBefore, ...kept } = config
  checkInvitationUrl(invitationConfig?.url)
  return {
    ...kept,
    // null removes it.
    ...present({
      webhookEndpoint: webhookEndpoint === undefined ? endpointBefore : checkEndpoint(webhookEndpoint),
    }),
    ...present({ umaDomain, cardConfig, oauthConfig: checkIssuers(op, oauthConfig), lenientInput }),
    ...present({ approvalsRequired, sandboxConfig: changeSandbox(op, config.sandboxConfig, sandboxConfig) }),
    ...present({ allowedOrigins: checkOrigins(op, allowedOrigins) }),
    ...(passkeyConfig ? { passkeyConfig: changePasskeys(op, config.passkeyConfig, passkeyConfig) } : {}),
    umaProviderConfig: { ...config.umaProviderConfig, ...umaProviderConfig },
    ...(supportedCurrencies ? { supportedCurrencies: checkCurrencies(supportedCurrencies) } : {}),
    embeddedWalletConfig: {
      ...config.embeddedWalletConfig,
      ...checkSender(op, embeddedWalletConfig),
    },
  }
}

/** Settings that were never made stay unset, so that their defaults can change later. */
export function withoutDefaults(
  {
    passkeyConfig,
    oauthConfig,
    cardConfig,
    invitationConfig: _,
    sandboxConfig,
    umaProviderConfig,
    allowedOrigins,
    ...config
  }: PlatformConfig,
  { config: before }: PlatformRow,
  change: BodyOf<typeof config_update>,
): Record<string, unknown> {
  return {
    ...config,
    ...(change.passkeyConfig || before.passkeyConfig ? { passkeyConfig } : {}),
    ...(change.cardConfig || before.cardConfig ? { cardConfig } : {}),
    ...(change.oauthConfig || before.oauthConfig ? { oauthConfig } : {}),
    ...(change.sandboxConfig || before.sandboxConfig ? { sandboxConfig } : {}),
    ...(change.allowedOrigins || before.allowedOrigins ? { allowedOrigins } : {}),
    ...(change.umaProviderConfig || before.umaProviderConfig ? { umaProviderConfig } : {}),
    ...present({ invitationConfig: change.invitationConfig ?? before.invitationConfig }),
  }
}

/** All platforms that were not reset, as the operator's program shows them. */
export async function listPlatforms(read: Read) {
  return (await selectOpenPlatforms(read)).map(({ id, name, config, created_at }) => ({
    id,
    name,
    isRegulated: config.isRegulatedFinancialInstitution === true,
    createdAt: created_at.toISOString(),
  }))
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

/** A platform that was not reset. */
export async function findOpenPlatform(read: Read, id: string): Promise<PlatformRow | undefined> {
  return selectOpenPlatform(read, id)
}

/** Whether the database has a platform, reset or not. */
export async function isAnyPlatform(read: Read): Promise<boolean> {
  return hasPlatforms(read)
}

/** The oldest platform of the server, if there is one. */
export async function findOldestPlatform(read: Read): Promise<string | undefined> {
  return selectOldestPlatform(read)
}
