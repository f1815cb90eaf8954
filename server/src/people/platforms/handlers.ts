import type { config } from '@countersign/contract/platforms/config'
import { openMissingPlatformAccounts } from '../../kernel/accounts/accounts.ts'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { setOwnEndpoint } from '../../kernel/outbox/own-endpoint.ts'
import { update } from '../../storage/commit/writes.ts'
import { scheduleAccountsBackfill } from './accounts-backfill.ts'
import { changePlatformConfig, omitDefaults } from './change-config.ts'
import { checkDecisions } from './config-checks.ts'
import { checkSize } from './config-size.ts'
import { listAccountCurrencies, readPlatformConfig, toPlatformConfigView } from './platform-config.ts'
import { findPlatform } from './platforms.ts'
import { checkWalletNetwork } from './wallet-network.ts'
import { checkWatches } from './watch-checks.ts'

export const configHandlers: Handlers<typeof config> = {
  config_get: async (op) => ({
    status: 200,
    body: toPlatformConfigView(op, op.platform),
  }),

  /**
   * After a new currency is added, the platform gets its account immediately, and a job opens the customers'
   * accounts. A new endpoint gets a TEST event.
   */
  config_update: async (op, { body }) => {
    const platform = await findPlatform(op)
    await checkWalletNetwork(op, body.embeddedWalletConfig?.network)
    await checkWatches(op, body.watchConfig)
    const before = readPlatformConfig(op, platform)
    const config = changePlatformConfig(op, before, body)
    checkDecisions(op, before, config)
    const earlier = listAccountCurrencies(before)
    const added = listAccountCurrencies(config).filter((currency) => !earlier.includes(currency))
    const stored = omitDefaults(config, platform, body)
    checkSize(stored, body)
    const change = { config: stored, version: platform.version + 1, updated_at: op.now }
    return {
      status: 200,
      body: toPlatformConfigView(op, { ...platform, ...change }),
      writes: [
        update('platforms', platform.id, { version: platform.version }, change),
        ...(await openMissingPlatformAccounts(op, added)),
        ...(added.length > 0 ? [scheduleAccountsBackfill(op)] : []),
        ...(body.webhookEndpoint === undefined ? [] : await setOwnEndpoint(op, config.webhookEndpoint)),
      ],
    }
  },
}
