import type {
  stablecoin_account_get,
  stablecoin_account_link,
} from '@countersign/contract/accounts/stablecoin-accounts'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import {
  STABLECOIN_ACCOUNT_INITIAL,
  STABLECOIN_ACCOUNT_TRANSITIONS,
} from '@countersign/contract/states/customer-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import { nextState } from '../../kernel/operation/transition.ts'
import type { CredentialCheckResult, StablecoinProvider } from '../../kernel/ports/stablecoin-provider.ts'
import type { StablecoinAccountRow } from '../../storage/rows/look-up.ts'
import { selectStablecoinAccount } from './store.ts'

type LinkBody = BodyOf<typeof stablecoin_account_link>
type AccountView = SuccessOf<typeof stablecoin_account_get>['body']

/** The credentials of an account, which are stored sealed. */
export interface Credentials {
  readonly apiClientId: string
  readonly apiClientSecret: string
}

/** Throws 501 `NOT_IMPLEMENTED` if no provider can check credentials. */
export function requireProvider(op: Op, provider: StablecoinAccountRow['provider']): StablecoinProvider {
  const connectedProvider = op.stablecoinProviders?.[provider]
  if (!connectedProvider)
    throw new ApiError('NOT_IMPLEMENTED', { message: `This server is not connected to ${provider}.` })
  return connectedProvider
}

/**
 * The account to link: the one in the request, or else the only one that the credentials can access. Throws
 * 400 `STABLECOIN_PROVIDER_ACCOUNT_INVALID`, `…_REVOKED`, `…_SELECTION_REQUIRED` with the ids, 503
 * `UNAVAILABLE`.
 */
export function chooseAccount(op: Op, body: LinkBody, checkResult: CredentialCheckResult): string {
  switch (checkResult.outcome) {
    case 'invalid':
      throw createFieldError(
        'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
        'apiClientId',
        `${body.provider} did not accept these credentials.`,
      )
    case 'revoked':
      throw createFieldError(
        'STABLECOIN_PROVIDER_ACCOUNT_REVOKED',
        'apiClientId',
        `${body.provider} has revoked these credentials. Create new ones.`,
      )
    case 'unavailable':
      op.log.warn(
        { provider: body.provider, reason: checkResult.reason },
        'stablecoin provider did not respond',
      )
      throw new ApiError('UNAVAILABLE', { message: `${body.provider} did not respond. Try again.` })
    case 'accepted':
      return chooseAccessible(body, checkResult.providerAccountIds)
  }
}

function chooseAccessible({ provider, providerAccountId }: LinkBody, accessible: readonly string[]): string {
  if (providerAccountId !== undefined) {
    if (accessible.includes(providerAccountId)) return providerAccountId
    throw createFieldError(
      'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
      'providerAccountId',
      `These credentials cannot access an account with this id at ${provider}.`,
    )
  }
  const [only, ...others] = accessible
  if (only === undefined)
    throw createFieldError(
      'STABLECOIN_PROVIDER_ACCOUNT_INVALID',
      'apiClientId',
      `These credentials cannot access any account at ${provider}.`,
    )
  if (others.length === 0) return only
  throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_SELECTION_REQUIRED', {
    details: { field: 'providerAccountId', providerAccountIds: accessible },
  })
}

/** A new record of an account whose credentials the provider has accepted. */
export function makeStablecoinAccount(
  op: Op,
  { provider, apiClientId, apiClientSecret }: LinkBody,
  providerAccount: Pick<StablecoinAccountRow, 'provider_account_id' | 'provider_environment'>,
): StablecoinAccountRow {
  const id = op.newId('StablecoinProviderAccount')
  return {
    id,
    platform_id: op.platform.id,
    provider,
    ...providerAccount,
    status: STABLECOIN_ACCOUNT_INITIAL,
    sealed_credentials: sealCredentials(op, id, { apiClientId, apiClientSecret }),
    last_verified_at: op.now,
    created_at: op.now,
    updated_at: op.now,
  }
}

/**
 * Throws 409 `STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED`, with the id of the record, if the account is
 * linked and working.
 */
export function checkLinkable({ id, status }: StablecoinAccountRow): void {
  if (nextState(STABLECOIN_ACCOUNT_TRANSITIONS, status, 'link') === null)
    throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_ALREADY_LINKED', {
      details: { field: 'apiClientId', stablecoinProviderAccountId: id },
    })
}

export function sealCredentials(
  op: Op,
  id: string,
  { apiClientId, apiClientSecret }: Credentials,
): Uint8Array {
  return op.enclave.sealText('stablecoinAccount', id, JSON.stringify({ apiClientId, apiClientSecret }))
}

export function openCredentials(op: Op, { id, sealed_credentials }: StablecoinAccountRow): Credentials {
  return JSON.parse(op.enclave.openText('stablecoinAccount', id, sealed_credentials)) as Credentials
}

/** Throws 404 `STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND`. */
export async function findStablecoinAccount(op: Op, id: string): Promise<StablecoinAccountRow> {
  const row = await selectStablecoinAccount(op, id)
  if (!row)
    throw new ApiError('STABLECOIN_PROVIDER_ACCOUNT_NOT_FOUND', {
      details: { field: 'stablecoinProviderAccountId' },
    })
  return row
}

/** The account as the API shows it, without its credentials. */
export function toStablecoinAccountView(row: StablecoinAccountRow): AccountView {
  return present({
    id: row.id,
    provider: row.provider,
    providerAccountId: row.provider_account_id,
    providerEnvironment: row.provider_environment,
    status: row.status,
    lastVerifiedAt: row.last_verified_at?.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  })
}
