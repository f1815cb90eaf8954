import type { AskedField } from '../../kernel/magic-values/uma-receivers.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { customerAsCounterparty } from './counterparty.ts'

/**
 * Checks that all information about the sender that the receiver requires is known, from the customer or the request, by
 * the names of `CUSTOMER_INFO_FIELDS`. Error: 400 `MISSING_MANDATORY_USER_INFO`, with the names in `missing`.
 */
export function checkSenderKnown(
  asks: readonly AskedField[],
  customer: CustomerRow | null | undefined,
  told: Readonly<Record<string, unknown>>,
): void {
  const known: Readonly<Record<string, unknown>> = {
    ...(customer ? customerAsCounterparty(customer) : {}),
    ...told,
  }
  const isTold = (name: string) => Object.hasOwn(known, name) && isText(known[name])
  const missing = asks.filter(({ name, mandatory }) => mandatory && !isTold(name)).map(({ name }) => name)
  if (missing.length === 0) return
  throw new ApiError('MISSING_MANDATORY_USER_INFO', {
    message: `The receiver requires ${missing.join(', ')} of the sender.`,
    details: { field: 'senderCustomerInfo', missing },
  })
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
