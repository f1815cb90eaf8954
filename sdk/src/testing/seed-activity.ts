import { isCode } from '../client/errors.ts'
import type { Countersign } from '../countersign.ts'
import type { Signer } from '../signing/signer.ts'
import { type Choices, pickMerchant } from './seed-choices.ts'
import type { SeededCustomer } from './seed-people.ts'

/**
 * Pays a bank account through a quote: from the dollar account, or from the wallet with its holder's
 * signature.
 */
export async function payByQuote(
  countersign: Countersign,
  choices: Choices,
  customer: SeededCustomer,
): Promise<void> {
  const fromWallet = choices.chance(30)
  const fails = customer.failingBankId !== undefined && choices.chance(25)
  const quote = await countersign.quotes.create({
    source: { sourceType: 'ACCOUNT', accountId: fromWallet ? customer.walletId : customer.usdId },
    destination: { destinationType: 'ACCOUNT', accountId: fails ? customer.failingBankId! : customer.bankId },
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: BigInt(choices.between(1_000, 90_000)),
  })
  // Some quotes are never executed.
  if (choices.chance(10)) return
  const signer = fromWallet ? await signInHolder(countersign, customer.walletId) : undefined
  await countersign.quotes.execute(quote.id, signer ? { signer } : {})
}

/** Signs in a wallet's holder with the sandbox code and returns the session as a signer. */
async function signInHolder(countersign: Countersign, walletId: string): Promise<Signer> {
  // The simulated holder confirms every payment.
  return countersign.wallet(walletId, { confirm: () => true }).email.signIn({ code: '000000' })
}

export async function transferOut(
  countersign: Countersign,
  choices: Choices,
  { usdId, bankId }: SeededCustomer,
): Promise<void> {
  await countersign.transfers.out({
    source: { accountId: usdId },
    destination: { accountId: bankId },
    amount: BigInt(choices.between(500, 40_000)),
  })
}

/** Creates a card paid from the dollar account. */
export async function createCard(countersign: Countersign, customer: SeededCustomer): Promise<string> {
  const { id } = await countersign.cards.create({
    cardholderId: customer.id,
    form: 'VIRTUAL',
    fundingSources: [customer.usdId],
  })
  return id
}

/** Makes a card purchase. Most are cleared immediately. */
export async function makePurchase(
  countersign: Countersign,
  choices: Choices,
  cardId: string,
): Promise<void> {
  const amount = BigInt(choices.between(250, 9_500))
  const purchase = await countersign.sandbox.authorizeCard(cardId, {
    amount,
    currency: { code: 'USD' },
    merchant: { descriptor: pickMerchant(choices), mcc: '5814', country: 'US' },
  })
  if (choices.chance(80))
    await countersign.sandbox.clearCard(cardId, { cardTransactionId: purchase.id, amount })
}

const SPENDING = {
  currency: 'USD',
  perTransactionLimit: 50_000n,
  dailyLimit: 80_000n,
  monthlyLimit: 900_000n,
}

/** Creates an agent that pays bills, and returns a client with its token. */
export async function createAgent(
  countersign: Countersign,
  customer: SeededCustomer,
  name: string,
): Promise<Countersign> {
  const agent = await countersign.agents.create({
    name,
    customerId: customer.id,
    policy: {
      permissions: ['VIEW_TRANSACTIONS', 'CREATE_TRANSFERS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: SPENDING,
      approvalThresholds: { amount: 25_000n },
    },
  })
  const { accessToken } = await countersign.agents.redeemDeviceCode(agent.deviceCode.code)
  return countersign.withAccessToken(accessToken)
}

/** Makes a payment as an agent. The agent's policy may require an approval or deny it. */
export async function payByAgent(
  agent: Countersign,
  { usdId, bankId }: SeededCustomer,
  amount: number,
): Promise<void> {
  try {
    await agent.me.transferOut({
      source: { accountId: usdId },
      destination: { accountId: bankId },
      amount: BigInt(amount),
    })
  } catch (error) {
    if (!isCode(error, 'FORBIDDEN', 'VELOCITY_LIMIT_EXCEEDED')) throw error
  }
}
