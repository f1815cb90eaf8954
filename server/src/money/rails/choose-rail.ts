import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { amountText } from '../../base/pricing/pricing.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import type { PaymentFault, Rail, RailLimits, RouteRequest, UnmadePayment } from '../../kernel/ports/rail.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/**
 * Chooses the rail for a payment by the routing table. Throws 501 `NOT_IMPLEMENTED` if no rail serves it,
 * 400 `AMOUNT_OUT_OF_RANGE` naming `field` if no rail accepts the amount, 503 `UNAVAILABLE` until the rail's
 * chain has been reached.
 */
export async function chooseRail(op: Op, request: RouteRequest, field: string): Promise<Rail> {
  const rail = await op.rails.route(op.platform.id, request)
  if (rail?.chain?.isReached() === false) throw notReached()
  if (rail) return rail
  const limits = await op.rails.limitsFor(op.platform.id, request)
  if (limits) throw fieldError('AMOUNT_OUT_OF_RANGE', field, describeLimits(request, limits))
  const network = request.paymentRail === null ? '' : ` by ${request.paymentRail}`
  throw new ApiError('NOT_IMPLEMENTED', {
    message: `No rail of this server ${VERBS[request.direction]} ${request.accountType}${network} in ${request.currency}.`,
  })
}

/** Throws 400 `INVALID_INPUT` naming `field` if the rail cannot send to the account. */
export async function checkPayee(op: Op, rail: Rail, account: AccountDetails, field: string): Promise<void> {
  const fault = await rail.faultOfPayee?.(op.read, account)
  if (fault !== undefined) throw fieldError('INVALID_INPUT', field, `The address of this account ${fault}`)
}

/** Throws 400 `INVALID_INPUT` naming the field that the rail cannot carry. */
export function checkPayment(
  rail: Rail,
  payment: UnmadePayment,
  fields: Readonly<Record<PaymentFault['part'], string>>,
): void {
  const fault = rail.faultOfPayment?.(payment)
  if (fault)
    throw fieldError(
      'INVALID_INPUT',
      fields[fault.part],
      `The rail of this payment cannot carry it: ${fault.text}`,
    )
}

/**
 * The error of requests that need a chain that this server has not reached yet, or whose tokens it has not
 * read yet.
 */
export function notReached(): ApiError {
  return new ApiError('UNAVAILABLE', {
    message: 'The chain has not been reached yet. Try again soon.',
  })
}

const VERBS = { OUT: 'sends to', PULL: 'pulls from', IN: 'takes payments to' } as const

function describeLimits({ currency }: RouteRequest, { min, max }: RailLimits): string {
  const format = (amount: bigint) =>
    isKnownCurrency(currency) ? amountText(amount, currency) : `${amount} ${currency}`
  const bounds = [
    ...(min === undefined ? [] : [`from ${format(min)}`]),
    ...(max === undefined ? [] : [`up to ${format(max)}`]),
  ]
  return `The rail of this payment takes amounts ${bounds.join(' ')}`
}
