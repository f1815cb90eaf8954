import type { STABLECOIN_PROVIDERS } from '@countersign/contract/accounts/stablecoin-accounts'

/** Those that this server is connected to. */
export type StablecoinProviders = Readonly<
  Partial<Record<(typeof STABLECOIN_PROVIDERS)[number], StablecoinProvider>>
>

/** A provider of stablecoins, asked whether credentials work. It is asked at linking and every day, so nothing may change there. */
export interface StablecoinProvider {
  /** Whether the provider's accounts are of its test or its real environment. */
  readonly environment: 'SANDBOX' | 'PRODUCTION'
  /** Checks credentials. Ends within the five seconds of a claim. Does not throw for any answer of the provider. */
  check(request: CredentialCheck): Promise<CredentialAnswer>
}

export interface CredentialCheck {
  readonly apiClientId: string
  readonly apiClientSecret: string
  /** Whether they were accepted before, when the account was linked. */
  readonly isLinked: boolean
}

export type CredentialAnswer =
  /** The accounts that the credentials reach, by their ids there. */
  | { readonly outcome: 'accepted'; readonly providerAccountIds: readonly string[] }
  /** The provider does not know the credentials. */
  | { readonly outcome: 'invalid' }
  /** It knew them, and has withdrawn them. */
  | { readonly outcome: 'revoked' }
  /** Nobody can tell. `reason` is for the log and repeats no secret. */
  | { readonly outcome: 'unavailable'; readonly reason: string }
