import { useSyncExternalStore } from 'react'
import type { Confirmation } from './confirmations.ts'
import { useCountersign } from './context.ts'

/**
 * The payment that waits for the customer's decision, for your own dialog instead of `ConfirmPayment`. Show
 * the content of its `payment`, and nothing from another source. A component that uses this counts as one
 * that shows payments.
 */
export function useConfirmation(): Confirmation | undefined {
  const { confirmations } = useCountersign()
  return useSyncExternalStore(confirmations.view, confirmations.current, nothing)
}

const nothing = () => undefined
