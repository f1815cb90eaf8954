import type { KnownUmaProvider } from '../../base/settings/uma-providers.ts'

/** The operator of the sandbox's own receivers. */
export const SANDBOX_UMA_PROVIDER: Omit<KnownUmaProvider, 'domain'> = {
  name: 'Countersign Sandbox',
  supportedRegions: ['US', 'MX', 'DE', 'GB', 'IN', 'BR', 'NG', 'KE', 'PH'],
  supportedCurrencies: ['USD', 'EUR', 'MXN', 'GBP', 'INR', 'BRL', 'NGN', 'KES', 'PHP', 'BTC'],
}

/**
 * Fictitious providers, so that lists in the sandbox have entries to filter, page through and block. They
 * have no addresses: payments to them return 404.
 */
export const INVENTED_UMA_PROVIDERS: readonly KnownUmaProvider[] = [
  {
    name: 'Aurora Wallet',
    domain: 'aurora.uma.test',
    supportedRegions: ['US', 'CA'],
    supportedCurrencies: ['USD', 'CAD'],
    logoUrl: 'https://aurora.uma.test/logo.png',
  },
  {
    name: 'Banco Mar Azul',
    domain: 'marazul.uma.test',
    supportedRegions: ['MX', 'CO', 'GT'],
    supportedCurrencies: ['MXN', 'COP', 'GTQ'],
  },
  {
    name: 'Kestrel Pay',
    domain: 'kestrel.uma.test',
    supportedRegions: ['GB', 'DE', 'FR'],
    supportedCurrencies: ['GBP', 'EUR'],
  },
  {
    name: 'Savanna Money',
    domain: 'savanna.uma.test',
    supportedRegions: ['KE', 'TZ', 'UG'],
    supportedCurrencies: ['KES', 'TZS', 'UGX'],
  },
]
