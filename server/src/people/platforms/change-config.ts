import type { BodyOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { config_update } from '@countersign/contract/platforms/config'
import type { Op } from '../../kernel/operation/app.ts'
import type { PlatformRow } from '../../storage/rows/tables.ts'
import {
  changePasskeys,
  changeSandbox,
  checkCurrencies,
  checkEndpoint,
  checkInvitationUrl,
  checkOrigins,
  checkSender,
} from './config-checks.ts'
import { checkIssuers } from './issuers.ts'
import type { PlatformConfig } from './platform-config.ts'
import { changeRisk } from './risk-rules.ts'

/**
 * Applies a change to the settings. The list of currencies is replaced as a whole; all other omitted fields
 * keep their values. Throws 400 naming the field for an endpoint that is not a URL, an unknown or repeated
 * currency, or a minimum above its maximum.
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
    omnibusAccounts,
    lenientInput,
    approvalsRequired,
    watchConfig,
    riskConfig,
    sandboxConfig,
  } = change
  const { webhookEndpoint: endpointBefore, ...unchanged } = config
  checkInvitationUrl(invitationConfig?.url)
  return {
    ...unchanged,
    // Null removes a setting.
    ...present({
      webhookEndpoint: webhookEndpoint === undefined ? endpointBefore : checkEndpoint(webhookEndpoint),
    }),
    ...present({ umaDomain, cardConfig, oauthConfig: checkIssuers(op, oauthConfig), lenientInput }),
    ...present({
      omnibusAccounts,
      approvalsRequired,
      sandboxConfig: changeSandbox(op, config.sandboxConfig, sandboxConfig),
    }),
    ...present({ allowedOrigins: checkOrigins(op, allowedOrigins) }),
    ...(passkeyConfig ? { passkeyConfig: changePasskeys(op, config.passkeyConfig, passkeyConfig) } : {}),
    watchConfig: { ...config.watchConfig, ...watchConfig },
    umaProviderConfig: { ...config.umaProviderConfig, ...umaProviderConfig },
    riskConfig: riskConfig ? changeRisk(config.riskConfig, riskConfig) : config.riskConfig,
    ...(supportedCurrencies ? { supportedCurrencies: checkCurrencies(supportedCurrencies) } : {}),
    embeddedWalletConfig: {
      ...config.embeddedWalletConfig,
      ...checkSender(op, embeddedWalletConfig),
    },
  }
}

/** Omits settings that the platform never set, so that their defaults can change later. */
export function omitDefaults(
  {
    passkeyConfig,
    oauthConfig,
    cardConfig,
    invitationConfig: _,
    sandboxConfig,
    riskConfig,
    umaProviderConfig,
    allowedOrigins,
    watchConfig,
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
    ...(change.riskConfig || before.riskConfig ? { riskConfig } : {}),
    ...(change.allowedOrigins || before.allowedOrigins ? { allowedOrigins } : {}),
    ...(change.watchConfig || before.watchConfig ? { watchConfig } : {}),
    ...(change.umaProviderConfig || before.umaProviderConfig ? { umaProviderConfig } : {}),
    ...present({ invitationConfig: change.invitationConfig ?? before.invitationConfig }),
  }
}
