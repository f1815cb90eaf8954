import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { amountText } from '../../base/pricing/pricing.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, fieldError } from '../../kernel/operation/operation.ts'
import type { PaymentFault, Rail, RailLimits, RouteRequest, UnmadePayment } from '../../kernel/ports/rail.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/**
 * The rail that carries a payment, by the routing table. Errors: 501 `NOT_IMPLEMENTED` if none serves it, 400
 * `AMOUNT_OUT_OF_RANGE` that names `field` if none takes the amount, 503 `UNAVAILABLE` until its chain is
 * reached.
 */
export async function chooseRail(op: Op, wanted: RouteRequest, field: string): Promise<Rail> {
  const rail = await op.rails.route(op.platform.id, wanted)
  if (rail?.chain?.isMet() === false) throw notReached()
  if (rail) return rail
  const limits = await op.rails.limitsFor(op.platform.id, wanted)
  if (limits) throw fieldError('AMOUNT_OUT_OF_RANGE', field, outOfRange(wanted, limits))
  const network = wanted.paymentRail === null ? '' : ` by ${wanted.paymentRail}`
  throw new ApiError('NOT_IMPLEMENTED', {
    message: `No rail of this server ${DOES[wanted.direction]} ${wanted.accountType}${network} in ${wanted.currency}.`,
  })
}

/** Error: 400 `INVALID_INPUT` that names `field`, if the rail sends nothing to the account. */
export async function checkPayee(op: Op, rail: Rail, account: AccountDetails, field: string): Promise<void> {
  const fault = await rail.faultOfPayee?.(op.read, account)
  if (fault !== undefined) throw fieldError('INVALID_INPUT', field, `The address of this account ${fault}`)
}

/** Error: 400 `INVALID_INPUT` that names the field of the part that the rail cannot carry. */
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
 * The refusal of requests that need a chain that this server has not reached, or whose tokens it has not
 * read.
 */
export function notReached(): ApiError {
  return new ApiError('UNAVAILABLE', {
    message: 'The chain has not been reached yet. Try again soon.',
  })
}

const DOES = { OUT: 'sends to', PULL: 'pulls from', IN: 'takes payments to' } as const

function outOfRange({ currency }: RouteRequest, { min, max }: RailLimits): string {
  const words = (amount: bigint) =>
    isKnownCurrency(currency) ? amountText(amount, currency) : `${amount} ${currency}`
  const bounds = [
    ...(min === undefined ? [] : [`from ${words(min)}`]),
    ...(max === undefined ? [] : [`up to ${words(max)}`]),
  ]
  return `The rail of this payment takes amounts ${bounds.join(' ')}`
}
