import { isDeepStrictEqual } from 'node:util'
import { API } from '@countersign/contract/api'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { keysOf } from '@countersign/contract/core/objects'
import { INVITATION_URL_PLACE } from '@countersign/contract/payments/invitations'
import { type config_update, SETTING_PERMISSIONS } from '@countersign/contract/platforms/config'
import { FAULT_IN_WORDS, type FaultRule, parseFault } from '@countersign/contract/sandbox/faults'
import { findNearest } from '../../base/formats/did-you-mean.ts'
import { canSendFrom } from '../../base/settings/message-rules.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { canGrant } from '../../kernel/operation/permissions.ts'
import type { CurrencyConfig, PlatformConfig, SandboxConfig } from './platform-config.ts'

/**
 * Throws 403 `FORBIDDEN` if a change affects decisions that require a permission, and the caller lacks that
 * permission.
 */
export function checkDecisions(op: Op, before: PlatformConfig, after: PlatformConfig): void {
  for (const name of keysOf(SETTING_PERMISSIONS)) {
    const permission = SETTING_PERMISSIONS[name]
    if (permission === null || isDeepStrictEqual(before[name], after[name]) || canGrant(op, [permission]))
      continue
    throw createFieldError(
      'FORBIDDEN',
      name,
      `${name} makes decisions that require the permission ${permission}. You need that permission to change it.`,
    )
  }
}

/**
 * Rejects URLs that fit the schema but cannot be parsed, for example because of a missing host or an invalid
 * port.
 */
export function checkEndpoint(url: string | null): string | null {
  if (url !== null && !URL.canParse(url))
    throw createFieldError('INVALID_INPUT', 'webhookEndpoint', 'webhookEndpoint is not a valid URL')
  return url
}

export function checkInvitationUrl(url: string | null | undefined): void {
  if (url && !URL.canParse(url.replace(INVITATION_URL_PLACE, 'CODE')))
    throw createFieldError('INVALID_INPUT', 'invitationConfig.url', 'invitationConfig.url is not a valid URL')
}

/** Throws 400 if the operator does not allow this platform to send from the sender's domain. */
export function checkSender<T extends { readonly sendFromEmailAddress?: string }>(
  { messageRules, platform }: Pick<Op, 'messageRules' | 'platform'>,
  config: T | undefined,
): T | undefined {
  const address = config?.sendFromEmailAddress
  if (address !== undefined && !canSendFrom(messageRules, platform.id, address))
    throw createFieldError(
      'INVALID_INPUT',
      'embeddedWalletConfig.sendFromEmailAddress',
      'The operator of this server has not allowed this platform to send from this domain.',
    )
  return config
}

/**
 * Throws 400 if a new passkeyConfig lacks its domain or origins, or in production contains http://localhost.
 */
export function changePasskeys(
  op: Pick<Op, 'mode'>,
  before: PlatformConfig['passkeyConfig'],
  change: NonNullable<BodyOf<typeof config_update>['passkeyConfig']>,
): NonNullable<PlatformConfig['passkeyConfig']> {
  const { rpId, origins, userVerification = 'preferred' } = { ...before, ...change }
  if (rpId === undefined)
    throw createFieldError('INVALID_INPUT', 'passkeyConfig.rpId', 'passkeyConfig.rpId is required')
  if (origins === undefined)
    throw createFieldError('INVALID_INPUT', 'passkeyConfig.origins', 'passkeyConfig.origins is required')
  checkNotLocal(op, origins, 'passkeyConfig.origins')
  return { rpId, origins, userVerification }
}

/** Throws 400 in production for pages without TLS. */
export function checkOrigins(op: Pick<Op, 'mode'>, origins: string[] | undefined): string[] | undefined {
  if (origins) checkNotLocal(op, origins, 'allowedOrigins')
  return origins
}

function checkNotLocal({ mode }: Pick<Op, 'mode'>, origins: readonly string[], field: string): void {
  if (mode !== 'production') return
  for (const [at, origin] of origins.entries())
    if (origin.startsWith('http://'))
      throw createFieldError(
        'INVALID_INPUT',
        `${field}.${at}`,
        `${new URL(origin.replace(':*', '')).origin} is allowed as an origin only in the sandbox.`,
      )
}

export function checkCurrencies(currencies: readonly CurrencyConfig[]): CurrencyConfig[] {
  const seen = new Set<string>()
  return currencies.map((currency, index) => {
    const { currencyCode, minAmount, maxAmount, requiredCounterpartyFields, enabledTransactionTypes } =
      currency
    const at = `supportedCurrencies.${index}`
    if (!isKnownCurrency(currencyCode))
      throw createFieldError(
        'INVALID_CURRENCY',
        `${at}.currencyCode`,
        `${currencyCode} is not a supported currency.`,
      )
    if (seen.has(currencyCode))
      throw createFieldError('INVALID_INPUT', `${at}.currencyCode`, `${currencyCode} is listed twice.`)
    seen.add(currencyCode)
    if (minAmount > maxAmount)
      throw createFieldError('INVALID_INPUT', `${at}.maxAmount`, `${at}.maxAmount is less than minAmount`)
    return { currencyCode, minAmount, maxAmount, requiredCounterpartyFields, enabledTransactionTypes }
  })
}

/**
 * Throws 400 in production, which has no simulators, and for a rule whose fault is invalid or that cannot
 * apply.
 */
export function changeSandbox(
  { mode }: Pick<Op, 'mode'>,
  before: SandboxConfig | undefined,
  change: Partial<SandboxConfig> | undefined,
): SandboxConfig | undefined {
  if (change === undefined) return before
  if (!before || mode === 'production')
    throw createFieldError('INVALID_INPUT', 'sandboxConfig', 'sandboxConfig exists only in the sandbox')
  for (const [at, rule] of (change.faults ?? []).entries()) checkFault(rule, `sandboxConfig.faults.${at}`)
  return { ...before, ...change }
}

function checkFault({ fault, operation, eventType }: FaultRule, path: string): void {
  const parsed = parseFault(fault)
  if (!parsed)
    throw createFieldError(
      'INVALID_INPUT',
      `${path}.fault`,
      `${path}.fault must be ${FAULT_IN_WORDS}, each once`,
    )
  const { webhook, ...callFaults } = parsed
  const affectsCalls = Object.keys(callFaults).length > 0
  if (webhook && affectsCalls)
    throw createFieldError(
      'INVALID_INPUT',
      `${path}.fault`,
      `${path}.fault must apply either to calls or to webhooks, not to both`,
    )
  if (webhook && operation !== undefined)
    throw createFieldError(
      'INVALID_INPUT',
      `${path}.operation`,
      `${path}.operation applies only to calls. For webhooks, use eventType.`,
    )
  if (!webhook && eventType !== undefined)
    throw createFieldError(
      'INVALID_INPUT',
      `${path}.eventType`,
      `${path}.eventType applies only to webhooks. For calls, use operation.`,
    )
  if (operation !== undefined && !Object.hasOwn(API, operation))
    throw createFieldError(
      'INVALID_INPUT',
      `${path}.operation`,
      `${path}.operation is not the name of an operation${suggestOperation(operation)}`,
    )
}

function suggestOperation(operation: string): string {
  const suggestion = findNearest(operation, Object.keys(API))
  return suggestion ? `; did you mean ${suggestion}?` : ''
}
