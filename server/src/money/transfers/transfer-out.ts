import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { transfer_out } from '@countersign/contract/payments/transfers'
import { TRANSFER_OUT_INITIAL } from '@countersign/contract/states/payment-states'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { newTransaction } from '../../kernel/transactions/transactions.ts'
import type { InternalAccountRow } from '../../storage/rows/tables.ts'
import { checkUsable } from '../external-accounts/account-changes.ts'
import { checkRail, findChain } from '../external-accounts/external-accounts.ts'
import { checkPayee, checkPayment } from '../rails/choose-rail.ts'
import { chooseRailWithFees } from './carriage.ts'
import {
  checkLimits,
  findParties,
  type Parties,
  TRANSFER_FIELDS,
  type TransferDraft,
  toRailDetails,
  toRouteRequest,
} from './transfers.ts'

type TransferOutBody = BodyOf<typeof transfer_out>

type PaymentRequest = Pick<TransferOutBody, 'remittanceInformation'> & {
  readonly amount: bigint
  readonly destination: Pick<TransferOutBody['destination'], 'paymentRail'>
}

/** Checks a transfer out. Without an amount, it sends the whole available balance. */
export async function draftTransferOut(op: Op, body: TransferOutBody): Promise<TransferDraft> {
  const { source, destination } = body
  const parties = await findParties(op, source.accountId, 'source', destination.accountId, 'destination')
  const { available } = parties.balance
  if (body.amount === undefined && available === 0n)
    throw createInsufficientFundsError(parties.internal, available)
  const amount = body.amount ?? available
  checkAvailable(parties.internal, available, amount)
  return draftPayment(op, parties, { ...body, amount })
}

/** Throws 400 `INSUFFICIENT_BALANCE`, with the amounts. The hold itself is guarded by the ledger. */
export function checkAvailable(account: InternalAccountRow, available: bigint, amount: bigint): void {
  if (amount > available) throw createInsufficientFundsError(account, available, amount)
}

/**
 * Checks a payment between two accounts, except for the balance. The amount includes the chain fee, so the
 * payee receives the amount less the fee.
 */
export async function draftPayment(
  op: Op,
  parties: Parties,
  request: PaymentRequest,
): Promise<TransferDraft> {
  await checkUsable(op, parties.external, 'destination.accountId')
  checkRail(parties.external, request.destination.paymentRail, 'destination.paymentRail')
  checkLimits(op, 'OUTGOING', parties.internal, request.amount)
  return draftWithoutLimits(op, parties, request)
}

/** Checks a payment like `draftPayment`, but not the payee's state or the platform's limits. */
export async function draftWithoutLimits(
  op: Op,
  { internal, external, platformCustomerId }: Parties,
  { amount, destination, remittanceInformation: remittance }: PaymentRequest,
): Promise<TransferDraft> {
  const request = toRouteRequest(external, destination.paymentRail ?? null)
  const { rail, fees, ownRates } = await chooseRailWithFees(op, internal, request, amount)
  const { account_info: account, currency } = external
  await checkPayee(op, rail, account, 'destination.accountId')
  const { paymentRail } = request
  const remittanceInformation = remittance ?? null
  checkPayment(
    rail,
    { direction: 'OUT', account, amount, currency, paymentRail, remittanceInformation },
    { account: 'destination.accountId', ...TRANSFER_FIELDS },
  )
  const row = newTransaction(op, {
    kind: 'TRANSFER_OUT',
    type: 'OUTGOING',
    direction: 'DEBIT',
    state: TRANSFER_OUT_INITIAL,
    customer_id: internal.customer_id,
    source_account_id: internal.id,
    destination_account_id: external.id,
    destination_identifier: external.identifier,
    sent_amount: amount,
    sent_currency: internal.currency,
    received_amount: amount - fees,
    received_currency: internal.currency,
    fees,
    details: present({
      ownRates,
      chain: findChain(external),
      ...toRailDetails(op, rail),
    }),
    payment_rail: destination.paymentRail ?? null,
    remittance_information: remittanceInformation,
  })
  return {
    transaction: { ...row, platform_customer_id: platformCustomerId },
    account: internal,
  }
}

function createInsufficientFundsError(
  account: InternalAccountRow,
  available: bigint,
  requested?: bigint,
): ApiError {
  if (!isKnownCurrency(account.currency)) throw new Error(`Unknown account currency ${account.currency}`)
  const spendable = `The account can spend ${formatCurrencyAmount(available, account.currency)}`
  return new ApiError('INSUFFICIENT_BALANCE', {
    message:
      requested === undefined
        ? `${spendable}.`
        : `${spendable}, not ${formatCurrencyAmount(requested, account.currency)}.`,
    details: {
      field: 'amount',
      available,
      ...(requested === undefined ? {} : { required: requested }),
      currency: account.currency,
    },
  })
}
