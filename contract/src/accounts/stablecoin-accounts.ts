import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { keysOf } from '../core/objects.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { STABLECOIN_ACCOUNT_TRANSITIONS } from '../states/customer-states.ts'

export const STABLECOIN_PROVIDERS = ['BRALE'] as const
export const STABLECOIN_PROVIDER_ENVIRONMENTS = ['SANDBOX', 'PRODUCTION'] as const

const STATUSES = keysOf(STABLECOIN_ACCOUNT_TRANSITIONS)

export const StablecoinProvider = OneOfWords(STABLECOIN_PROVIDERS, 'The issuer of stablecoins')
export const StablecoinProviderAccountStatus = OneOfWords(
  STATUSES,
  'The result of the last credential check. INVALID: the provider refuses them. REVOKED: they no longer reach this account',
)
const providerAccountId = Text(255, { description: "The provider's id of the account" })

/** The platform's account at a stablecoin provider. Its credentials are never returned. */
export const StablecoinProviderAccount = Type.Object({
  id: Id('StablecoinProviderAccount'),
  provider: StablecoinProvider,
  providerAccountId,
  providerEnvironment: OneOfWords(STABLECOIN_PROVIDER_ENVIRONMENTS),
  status: StablecoinProviderAccountStatus,
  lastVerifiedAt: Type.Optional(Timestamp('The time at which the provider last accepted the credentials')),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

/** A credential: one line of printable characters, stored sealed and never returned. */
function credential(description: string, maxLength: number, writeOnly: boolean) {
  return Type.String({
    minLength: 1,
    maxLength,
    wellFormed: 'line',
    description,
    ...(writeOnly ? { writeOnly: true } : {}),
  })
}

export const StablecoinProviderAccountLinkRequest = Type.Object({
  provider: StablecoinProvider,
  apiClientId: credential('The client id of an application at the provider', 255, false),
  apiClientSecret: Secret(
    credential('Its secret. Sealed at rest, never returned and never logged', 512, true),
  ),
  providerAccountId: Type.Optional(
    Text(255, { description: 'Required if the credentials reach several accounts' }),
  ),
})

const tag = 'Stablecoins'

/** Checks the credentials with the provider and stores them sealed. */
export const stablecoin_account_link = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/stablecoin-provider-accounts',
  tag,
  summary: 'Link an account at a stablecoin provider',
  description:
    "Connects the platform's account at a stablecoin provider with its API credentials, which are stored " +
    'sealed. The credentials are checked immediately and then every day. If the account is already ' +
    'ACTIVE, the call returns 409; an INVALID or REVOKED account gets the new credentials and keeps its ' +
    'id.',
  idempotent: 'required',
  body: StablecoinProviderAccountLinkRequest,
  responses: { 201: StablecoinProviderAccount },
  errors: [
    'INVALID_INPUT',
    'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
    'STABLECOIN_PROVIDER_ACCOUNT_REVOKED',
    'STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED',
    'STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED',
    'NOT_IMPLEMENTED',
    'UNAVAILABLE',
  ],
})

export const stablecoin_account_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/stablecoin-provider-accounts',
  tag,
  summary: 'List accounts at stablecoin providers',
  description: 'Lists the linked provider accounts with the status of their last check, without credentials.',
  query: Type.Object({
    provider: Type.Optional(StablecoinProvider),
    status: Type.Optional(StablecoinProviderAccountStatus),
    ...pageQuery,
  }),
  responses: { 200: Page(StablecoinProviderAccount) },
  errors: ['INVALID_INPUT'],
})

export const stablecoin_account_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/stablecoin-provider-accounts/{stablecoinProviderAccountId}',
  tag,
  summary: 'Read an account at a stablecoin provider',
  description: 'Shows one linked account and whether its credentials worked when they were last checked.',
  params: Type.Object({ stablecoinProviderAccountId: PathId }),
  responses: { 200: StablecoinProviderAccount },
  errors: ['STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND'],
})

export const stablecoinAccounts = { stablecoin_account_link, stablecoin_account_list, stablecoin_account_get }
