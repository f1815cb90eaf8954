import type { Countersign } from '@countersign/sdk'
import type { Route } from './backend.ts'

const DEPOSIT = 250_000_000n

/** The world outside of the app, which the sandbox stands for: no real app has these. */
export function sandboxRoutes(countersign: Countersign): Readonly<Record<string, Route>> {
  return {
    async 'POST /sandbox/letter-box'({ customerId }) {
      const query = { customerId, limit: 1 }
      const [newest] = (await countersign.call('sandbox_inbox_list', { query })).body.data
      return { message: newest?.text ?? 'No letter has come yet.' }
    },
    async 'POST /sandbox/deposit'({ accountId }) {
      await countersign.call('sandbox_account_fund', { params: { accountId }, body: { amount: DEPOSIT } })
      return { message: 'The money has been sent.' }
    },
  }
}
