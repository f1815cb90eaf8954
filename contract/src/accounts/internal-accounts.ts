import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { ClientPublicKeyRequest, OneOfWords, Page, pageQuery, Timestamp } from '../core/schema.ts'
import { Secret } from '../core/sensitivity.ts'
import { SignedRequestChallenge } from '../core/signed-retry.ts'
import { INTERNAL_ACCOUNT_STATUSES } from '../states/account-states.ts'
import { PaymentInstructions } from './payment-instructions.ts'

export const INTERNAL_ACCOUNT_TYPES = ['INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET'] as const

export const InternalAccountType = OneOfWords(
  INTERNAL_ACCOUNT_TYPES,
  'The type of account. Money leaves an EMBEDDED_WALLET only with the signature of one of its sessions',
)
export const InternalAccountStatus = OneOfWords(
  INTERNAL_ACCOUNT_STATUSES,
  "PENDING while the customer's verification is pending: the account cannot receive money yet",
)

/** An account held on this platform (specification 2.9). */
export const InternalAccount = Type.Object({
  id: Id('InternalAccount'),
  customerId: Type.Optional(Id('Customer', "Absent for the platform's own accounts")),
  type: InternalAccountType,
  status: InternalAccountStatus,
  balance: CurrencyAmount,
  totalBalance: CurrencyAmount,
  fundingPaymentInstructions: Type.Array(PaymentInstructions),
  privateEnabled: Type.Boolean({
    description: 'True if an EMBEDDED_WALLET hides its balance; false for other types',
  }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const accountFilters = {
  currency: Type.Optional(CurrencyCode),
  type: Type.Optional(InternalAccountType),
}

/**
 * Accounts of the platform's customers. `balance` can be spent; `totalBalance` also includes money on hold.
 */
export const customer_internal_account_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  customerToken: true,
  method: 'GET',
  path: '/customers/internal-accounts',
  tag: 'Internal accounts',
  summary: "List customers' accounts",
  description:
    "Lists customers' accounts, including embedded wallets, with their balances: balance can be spent, " +
    'totalBalance includes money on hold.',
  query: Type.Object({ ...accountFilters, customerId: Type.Optional(Id('Customer')), ...pageQuery }),
  responses: { 200: Page(InternalAccount) },
  errors: ['INVALID_INPUT'],
})

/** The platform's own accounts, one per currency. Not paginated. */
export const platform_internal_account_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/platform/internal-accounts',
  tag: 'Internal accounts',
  summary: "List the platform's own accounts",
  description:
    "Lists the platform's own accounts with their balances, one per currency, in a single response.",
  query: Type.Object(accountFilters),
  responses: { 200: Type.Object({ data: Type.Array(InternalAccount) }) },
  errors: ['INVALID_INPUT'],
})

const accountPath = Type.Object({ id: PathId })

/** Changes whether a wallet hides its balance. */
export const internal_account_update = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'PATCH',
  path: '/internal-accounts/{id}',
  tag: 'Internal accounts',
  summary: 'Update a wallet',
  description:
    'Sets whether a wallet hides its balance. The holder signs: the first call returns 202 with the ' +
    'payload, and the signed retry changes the wallet.',
  signed: true,
  params: accountPath,
  body: Type.Object({ privateEnabled: Type.Optional(Type.Boolean()) }),
  responses: { 200: InternalAccount, 202: SignedRequestChallenge },
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND'],
})

/** Exports the wallet's mnemonic to its holder, sealed to a key on the holder's device. */
export const internal_account_export = endpoint({
  auth: 'platform',
  permission: 'TRANSACT',
  customerToken: true,
  method: 'POST',
  path: '/internal-accounts/{id}/export',
  tag: 'Internal accounts',
  summary: 'Export a wallet',
  description:
    "Returns a wallet's mnemonic, sealed to a key on the holder's device, so that neither the platform " +
    'nor this server can read it. The holder signs; the wallet does not change.',
  signed: true,
  params: accountPath,
  body: ClientPublicKeyRequest,
  responses: {
    200: Type.Object({
      id: Id('InternalAccount'),
      encryptedWalletCredentials: Secret(
        Type.String({
          description: 'JSON text, signed by the enclave: the BIP-39 mnemonic, sealed to clientPublicKey',
        }),
      ),
    }),
    202: SignedRequestChallenge,
  },
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND'],
})

export const internalAccounts = { customer_internal_account_list, platform_internal_account_list }

export const wallets = { internal_account_update, internal_account_export }
