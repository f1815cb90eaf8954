import { findPlatformAccount, type OwnedAccountRow } from '../../kernel/accounts/accounts.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { PayoutLineRow } from '../../storage/rows/payout.ts'
import type { ExternalAccountRow } from '../../storage/rows/tables.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { findSameAccount, resolveAccount } from '../external-accounts/new-account.ts'
import { draftPayment } from '../transfers/transfer-out.ts'
import { checkParties, type TransferDraft } from '../transfers/transfers.ts'

/** Caches the platform's own accounts, which pay the batch, by currency. */
export class Payers {
  readonly #op: Op
  readonly #found = new Map<string, Promise<OwnedAccountRow | undefined>>()

  constructor(op: Op) {
    this.#op = op
  }

  /** Throws 400 `INVALID_CURRENCY` if the platform has no account in the currency. */
  async find(currency: string): Promise<OwnedAccountRow> {
    const accountPromise = this.#found.get(currency) ?? findPlatformAccount(this.#op, currency)
    this.#found.set(currency, accountPromise)
    const account = await accountPromise
    if (account) return account
    throw createFieldError('INVALID_CURRENCY', 'currency', `The platform has no account in ${currency}.`)
  }
}

/** The account that receives a payout. */
export interface Payee {
  readonly account: ExternalAccountRow
  /** False if the account will be added when it is paid. */
  readonly isStored: boolean
}

/**
 * The payee of a line: one of the platform's external accounts, or the account that the line describes.
 * Errors name the field of the line.
 */
export async function findPayee(op: Op, { account_id, currency, request }: PayoutLineRow): Promise<Payee> {
  const { accountId = account_id ?? undefined, accountInfo } = request
  if (account_id === null && (accountId === undefined) === (accountInfo === undefined))
    throw createFieldError('INVALID_INPUT', 'accountId', 'Set either accountId or accountInfo.')
  if (accountId !== undefined)
    return { account: await findExternalAccount(op, account_id ?? accountId, 'accountId'), isStored: true }
  if (accountInfo === undefined || currency === null) throw new Error('The payout has no payee')
  const account = await resolveAccount(op, null, { currency, accountInfo })
  const existing = await findSameAccount(op, account)
  return existing
    ? { account: await findExternalAccount(op, existing.id, 'accountInfo'), isStored: true }
    : { account, isStored: false }
}

/** Checks a payout like a transfer out, except for the balance. */
export async function draftPayout(
  op: Op,
  payers: Payers,
  line: PayoutLineRow,
  payee: ExternalAccountRow,
): Promise<TransferDraft> {
  const { currency, amount, payment_rail: rail, request } = line
  if (currency === null || amount === null) throw new Error('The payout has no amount')
  const parties = checkParties(await payers.find(currency), 'source', payee, 'destination')
  const { remittanceInformation } = request
  return draftPayment(op, parties, {
    amount,
    destination: rail === null ? {} : { paymentRail: rail },
    ...(remittanceInformation === undefined ? {} : { remittanceInformation }),
  })
}

/** The reason why a line cannot be paid, and the field that caused it. */
export type Fault = Pick<PayoutLineRow, 'code' | 'message' | 'field'>

const FIELDS: Readonly<Record<string, string>> = {
  'source.accountId': 'currency',
  'destination.accountId': 'accountId',
  'destination.paymentRail': 'paymentRail',
}

/**
 * Converts an error to the fault of a line. Rethrows unexpected errors and 503, which are not the line's
 * fault, so that the run is retried.
 */
export function toFault(error: unknown): Fault {
  if (!(error instanceof ApiError) || error.code === 'UNAVAILABLE') throw error
  const { code, message, details } = error
  const field = typeof details?.field === 'string' ? details.field : null
  return { code, message, field: field === null ? null : (FIELDS[field] ?? field) }
}
