import type { AskedField } from '../../kernel/magic-values/uma-receivers.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { customerAsCounterparty } from './counterparty.ts'

/**
 * Checks that all information that the receiver requires about the sender is known, either from the customer
 * or from the request. Throws 400 `MISSING_MANDATORY_USER_INFO`, with the names of the missing fields in
 * `missing`.
 */
export function checkSenderKnown(
  asks: readonly AskedField[],
  customer: CustomerRow | null | undefined,
  given: Readonly<Record<string, unknown>>,
): void {
  const known: Readonly<Record<string, unknown>> = {
    ...(customer ? customerAsCounterparty(customer) : {}),
    ...given,
  }
  const isGiven = (name: string) => Object.hasOwn(known, name) && isText(known[name])
  const missing = asks.filter(({ name, mandatory }) => mandatory && !isGiven(name)).map(({ name }) => name)
  if (missing.length === 0) return
  throw new ApiError('MISSING_MANDATORY_USER_INFO', {
    message: `The receiver requires ${missing.join(', ')} of the sender.`,
    details: { field: 'senderCustomerInfo', missing },
  })
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
