import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError } from '../../kernel/operation/operation.ts'
import type { PaymentDraft, PaymentFault, Rail, RailLimits, RouteRequest } from '../../kernel/ports/rail.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/**
 * Chooses the rail for a payment from the routing table. Throws 501 `NOT_IMPLEMENTED` if no rail serves it,
 * 400 `AMOUNT_OUT_OF_RANGE` naming `field` if no rail accepts the amount, 503 `UNAVAILABLE` until the rail's
 * chain has been reached.
 */
export async function chooseRail(op: Op, request: RouteRequest, field: string): Promise<Rail> {
  const rail = await op.rails.route(op.platform.id, request)
  if (rail?.chain?.isReached() === false) throw createChainNotReachedError()
  if (rail) return rail
  const limits = await op.rails.limitsFor(op.platform.id, request)
  if (limits) throw createFieldError('AMOUNT_OUT_OF_RANGE', field, describeLimits(request, limits))
  const network = request.paymentRail === null ? '' : ` by ${request.paymentRail}`
  throw new ApiError('NOT_IMPLEMENTED', {
    message: `No rail on this server ${VERBS[request.direction]} ${request.accountType}${network} in ${request.currency}.`,
  })
}

/** Throws 400 `INVALID_INPUT` naming `field` if the rail cannot send to the account. */
export async function checkPayee(op: Op, rail: Rail, account: AccountDetails, field: string): Promise<void> {
  const fault = await rail.findPayeeFault?.(op.read, account)
  if (fault !== undefined)
    throw createFieldError('INVALID_INPUT', field, `The address of this account ${fault}.`)
}

/** Throws 400 `INVALID_INPUT` naming the field that the rail cannot carry. */
export function checkPayment(
  rail: Rail,
  payment: PaymentDraft,
  fields: Readonly<Record<PaymentFault['part'], string>>,
): void {
  const fault = rail.faultOfPayment?.(payment)
  if (fault)
    throw createFieldError(
      'INVALID_INPUT',
      fields[fault.part],
      `The rail cannot carry this payment: ${fault.text}.`,
    )
}

/** The error for requests that need a chain before the server has connected to it or read its tokens. */
export function createChainNotReachedError(): ApiError {
  return new ApiError('UNAVAILABLE', {
    message: 'The server has not connected to the chain yet. Try again in a few minutes.',
  })
}

const VERBS = { OUT: 'can send to', PULL: 'can pull from', IN: 'can receive payments to' } as const

function describeLimits({ currency }: RouteRequest, { min, max }: RailLimits): string {
  const format = (amount: bigint) =>
    isKnownCurrency(currency) ? formatCurrencyAmount(amount, currency) : `${amount} ${currency}`
  const bounds = [
    ...(min === undefined ? [] : [`from ${format(min)}`]),
    ...(max === undefined ? [] : [`up to ${format(max)}`]),
  ]
  return `The rail of this payment accepts amounts ${bounds.join(' ')}.`
}
