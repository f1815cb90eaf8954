import { Countersign, CountersignError } from '@countersign/sdk'
import type { Credentials } from '../terminal/credentials.ts'
import { Failure } from '../terminal/failure.ts'
import { Script } from '../terminal/script.ts'
import { makeCustomer } from './customer.ts'
import { pay, showReplays } from './payment.ts'
import { signIn } from './sign-in.ts'

/** 25.00 USD. */
const DELIVERED = 2_500n

/** What the steps of the demo share. */
export interface Demo {
  readonly countersign: Countersign
  readonly script: Script
}

/**
 * A payment from nothing to settled, against a running sandbox: a customer, a sign-in by e-mail code, a quote, a
 * signature by a key of the customer's device. Prints each step to standard output.
 */
export async function runDemo(credentials: Credentials): Promise<void> {
  const begun = performance.now()
  const script = new Script((text) => process.stdout.write(text))
  const demo: Demo = { countersign: new Countersign(credentials), script }
  await checkAccess(demo, credentials)
  script.line(`Countersign: a payment, step by step, at ${credentials.baseUrl}`)
  script.line('Lines with a method and a path are calls by the platform\'s backend. "device" is the')
  script.line("customer's phone or browser: the key is made there, and only signatures leave it.")

  const customer = await makeCustomer(demo)
  const signInBegun = performance.now()
  const session = await signIn(demo, customer.walletId)
  const order = { payeeId: customer.bankAccountId, delivered: DELIVERED, words: '25.00 USD' }
  const payment = await pay(demo, { ...order, walletId: customer.walletId }, session)
  const settled = performance.now()
  await showReplays(demo, customer, payment)

  script.line()
  script.line(`Sign-in to settled payment: ${seconds(settled - signInBegun)}`)
  script.line(`Everything:                 ${seconds(performance.now() - begun)}`)
}

/** Reports a wrong address or secret before anything is done. */
export async function checkAccess({ countersign }: Demo, { baseUrl, tokenId }: Credentials): Promise<void> {
  try {
    await countersign.call('config_get')
  } catch (error) {
    if (!(error instanceof CountersignError) || error.status !== 401) throw error
    throw new Failure(
      `${baseUrl} refuses ${tokenId} with this secret: the credentials belong to another server or data directory.`,
    )
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
