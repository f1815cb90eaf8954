import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { QueryOf, SuccessOf } from '@countersign/contract/core/endpoint'
import type { uma_provider_list } from '@countersign/contract/payments/uma-providers'
import type { KnownUmaProvider } from '../../base/settings/uma-providers.ts'
import { INVENTED_UMA_PROVIDERS, SANDBOX_UMA_PROVIDER } from '../../kernel/magic-values/uma-providers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { getPlatformConfig } from '../../people/platforms/platform-config.ts'
import { isAllowed } from './allowed-counterparties.ts'

type ProviderView = SuccessOf<typeof uma_provider_list>['body']['data'][number]

/**
 * The providers that a platform may know: itself, the operator's configured providers and, in the sandbox,
 * the simulated provider. Other platforms on this server are not visible.
 */
export function listKnownProviders(op: Op): readonly KnownUmaProvider[] {
  const ownProvider: KnownUmaProvider = {
    name: op.platform.name,
    domain: getPlatformConfig(op).umaDomain,
    supportedCurrencies: getPlatformConfig(op)
      .supportedCurrencies.map(({ currencyCode }) => currencyCode)
      .filter(isKnownCurrency),
  }
  const sandboxProvider = { ...SANDBOX_UMA_PROVIDER, domain: op.sandboxUmaDomain }
  const others =
    op.mode === 'sandbox'
      ? [sandboxProvider, ...(op.umaProviders ?? INVENTED_UMA_PROVIDERS)]
      : (op.umaProviders ?? [])
  const byDomain = new Map([...others, ownProvider].map((provider) => [provider.domain, provider]))
  return [...byDomain.values()].sort((left, right) => (left.domain < right.domain ? -1 : 1))
}

/** The providers that match the query, as the API shows them. */
export function findMatchingProviders(op: Op, query: QueryOf<typeof uma_provider_list>): ProviderView[] {
  const { countryCode, currencyCode, hasBlockedProviders = false } = query
  const config = getPlatformConfig(op)
  return listKnownProviders(op)
    .map((provider) => toUmaProviderView(provider, isAllowed(config, provider.domain)))
    .filter(
      ({ allowListStatus, supportedRegions, supportedCurrencies }) =>
        (hasBlockedProviders || allowListStatus) &&
        (countryCode === undefined || supportedRegions?.includes(countryCode)) &&
        (currencyCode === undefined || supportedCurrencies.some(({ code }) => code === currencyCode)),
    )
}

function toUmaProviderView(provider: KnownUmaProvider, allowListStatus: boolean): ProviderView {
  const { supportedCurrencies, supportedRegions, ...members } = provider
  return {
    ...members,
    ...(supportedRegions ? { supportedRegions: [...supportedRegions] } : {}),
    supportedCurrencies: supportedCurrencies.map(toCurrencyRecord),
    allowListStatus,
  }
}
