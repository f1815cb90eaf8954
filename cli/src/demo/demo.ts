import type { Credentials } from '../connection/credentials.ts'
import { makeCustomer } from './customer.ts'
import { openDemo } from './open-demo.ts'
import { pay, showReplays } from './payment.ts'
import { signIn } from './sign-in.ts'

/** 25.00 USD, in cents. */
const AMOUNT = 2_500n

/**
 * Makes a complete payment in a running sandbox: customer, sign-in with an e-mail code, quote, and a
 * signature by the key on the customer's device. Prints each step to standard output.
 */
export async function runDemo(credentials: Credentials): Promise<void> {
  const startMs = performance.now()
  const demo = await openDemo(credentials)
  const { script } = demo
  script.line(`Countersign: a payment, step by step, at ${credentials.baseUrl}`)
  script.line('Lines with a method and a path are calls by the platform\'s backend. "device" is the')
  script.line("customer's phone or browser: the key is created there, and only signatures leave it.")

  const customer = await makeCustomer(demo)
  const signInStartMs = performance.now()
  const session = await signIn(demo, customer.walletId)
  const order = { payeeId: customer.bankAccountId, delivered: AMOUNT, amountText: '25.00 USD' }
  const payment = await pay(demo, { ...order, walletId: customer.walletId }, session)
  const settledMs = performance.now()
  await showReplays(demo, customer, payment)

  script.line()
  script.line(`Sign-in to settled payment: ${formatSeconds(settledMs - signInStartMs)}`)
  script.line(`Total:                      ${formatSeconds(performance.now() - startMs)}`)
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
