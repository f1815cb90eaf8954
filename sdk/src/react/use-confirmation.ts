import { useSyncExternalStore } from 'react'
import type { Confirmation } from './confirmations.ts'
import { useCountersign } from './context.ts'

/**
 * Returns the payment waiting for the customer's decision, to show it in your own dialog instead of
 * `ConfirmPayment`. Take the content only from its `payment`. A component that uses this hook counts as one
 * that shows payments.
 */
export function useConfirmation(): Confirmation | undefined {
  const { confirmations } = useCountersign()
  return useSyncExternalStore(confirmations.view, confirmations.current, returnUndefined)
}

const returnUndefined = () => undefined
