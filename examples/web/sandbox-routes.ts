import type { Countersign } from '@countersign/sdk'
import type { Route } from './backend.ts'

const DEPOSIT = 250_000_000n

/** Routes that stand in for the outside world in the sandbox. A real app does not have them. */
export function createSandboxRoutes(countersign: Countersign): Readonly<Record<string, Route>> {
  return {
    async 'POST /sandbox/inbox'({ customerId }) {
      const [newest] = (await countersign.sandbox.inbox({ customerId, limit: 1 })).data
      return newest ? { message: newest.text } : {}
    },
    async 'POST /sandbox/deposit'({ accountId }) {
      await countersign.sandbox.fund(accountId, { amount: DEPOSIT })
      return {}
    },
  }
}
