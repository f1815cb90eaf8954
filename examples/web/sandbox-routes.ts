import type { Countersign } from '@countersign/sdk'
import type { Route } from './backend.ts'

const DEPOSIT = 250_000_000n

/** The world outside of the app, which the sandbox stands for: no real app has these. */
export function sandboxRoutes(countersign: Countersign): Readonly<Record<string, Route>> {
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
