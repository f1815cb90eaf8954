import type { STABLECOIN_PROVIDERS } from '@countersign/contract/accounts/stablecoin-accounts'

/** Providers that this server is connected to. */
export type StablecoinProviders = Readonly<
  Partial<Record<(typeof STABLECOIN_PROVIDERS)[number], StablecoinProvider>>
>

/**
 * A stablecoin provider that checks credentials. It is called at linking and every day, so calls must not
 * change anything.
 */
export interface StablecoinProvider {
  /** The environment of the provider's accounts: test or real. */
  readonly environment: 'SANDBOX' | 'PRODUCTION'
  /**
   * Checks credentials. Ends within the five seconds of a claim. Does not throw, whatever the provider
   * responds.
   */
  check(request: CredentialCheck): Promise<CredentialAnswer>
}

export interface CredentialCheck {
  readonly apiClientId: string
  readonly apiClientSecret: string
  /** True if they were accepted before, when the account was linked. */
  readonly isLinked: boolean
}

export type CredentialAnswer =
  /** The accounts that the credentials can access, by the provider's ids. */
  | { readonly outcome: 'accepted'; readonly providerAccountIds: readonly string[] }
  /** The provider does not know the credentials. */
  | { readonly outcome: 'invalid' }
  /** The provider has revoked them. */
  | { readonly outcome: 'revoked' }
  /** The check was impossible. `reason` is for the log and contains no secret. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
