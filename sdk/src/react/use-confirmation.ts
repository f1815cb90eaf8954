import { useSyncExternalStore } from 'react'
import type { Confirmation } from './confirmations.ts'
import { useCountersign } from './context.ts'

/**
 * The payment that waits for the customer's decision, for a dialog of your own in place of `ConfirmPayment`. Show what
 * its `payment` says, and nothing that came another way. A component that uses this counts as one that shows payments.
 */
export function useConfirmation(): Confirmation | undefined {
  const { confirmations } = useCountersign()
  return useSyncExternalStore(confirmations.view, confirmations.current, nothing)
}

const nothing = () => undefined
