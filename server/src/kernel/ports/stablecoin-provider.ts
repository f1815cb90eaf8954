import type { STABLECOIN_PROVIDERS } from '@countersign/contract/accounts/stablecoin-accounts'

/** The providers to which this server is connected. */
export type StablecoinProviders = Readonly<
  Partial<Record<(typeof STABLECOIN_PROVIDERS)[number], StablecoinProvider>>
>

/**
 * A stablecoin provider that checks credentials. It is called when an account is linked and then daily, so
 * calls must not change anything.
 */
export interface StablecoinProvider {
  /** The environment of the provider's accounts: for testing, or real. */
  readonly environment: 'SANDBOX' | 'PRODUCTION'
  /**
   * Checks credentials, within the five seconds of a job's claim. Does not throw, whatever the provider
   * responds.
   */
  check(request: CredentialCheck): Promise<CredentialCheckResult>
}

export interface CredentialCheck {
  readonly apiClientId: string
  readonly apiClientSecret: string
  /** True if the credentials were accepted earlier, when the account was linked. */
  readonly isLinked: boolean
}

export type CredentialCheckResult =
  /** The ids of the provider's accounts to which the credentials give access. */
  | { readonly outcome: 'accepted'; readonly providerAccountIds: readonly string[] }
  /** The provider does not know the credentials. */
  | { readonly outcome: 'invalid' }
  /** The provider has revoked them. */
  | { readonly outcome: 'revoked' }
  /** The check could not be made. `reason` is for the log and contains no secrets. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
