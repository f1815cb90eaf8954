import type { RequiredSenderField } from '../../kernel/magic-values/uma-receivers.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { toCustomerCounterparty } from './counterparty.ts'

/**
 * Checks that all information that the receiver requires about the sender is known, either from the customer
 * or from the request. Throws 400 `MISSING_MANDATORY_USER_INFO`, with the names of the missing fields in
 * `missing`.
 */
export function checkSenderKnown(
  requiredFields: readonly RequiredSenderField[],
  customer: CustomerRow | null | undefined,
  requestInfo: Readonly<Record<string, unknown>>,
): void {
  const known: Readonly<Record<string, unknown>> = {
    ...(customer ? toCustomerCounterparty(customer) : {}),
    ...requestInfo,
  }
  const isKnown = (name: string) => Object.hasOwn(known, name) && isText(known[name])
  const missing = requiredFields
    .filter(({ name, mandatory }) => mandatory && !isKnown(name))
    .map(({ name }) => name)
  if (missing.length === 0) return
  throw new ApiError('MISSING_MANDATORY_USER_INFO', {
    message: `The receiver requires this information about the sender: ${missing.join(', ')}.`,
    details: { field: 'senderCustomerInfo', missing },
  })
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
