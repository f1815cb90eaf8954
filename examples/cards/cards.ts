import { Countersign, CountersignError } from '@countersign/sdk'

const { BASE = '', TOKEN_ID = '', CLIENT_SECRET = '' } = process.env
const countersign = new Countersign({ baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET })

const LUNCH = { descriptor: 'CAFE LUNA', mcc: '5814', country: 'US' }

/**
 * Creates a cardholder with a USD account of 500.00 that funds the card, and a wallet whose key signs for it.
 */
async function createCardholder(fullName: string, email: string) {
  const { id: cardholderId } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName,
    email,
  })
  const { data } = await countersign.internalAccounts.list({ customerId: cardholderId })
  const wallet = data.find(({ type }) => type === 'EMBEDDED_WALLET')
  const dollars = data.find(
    ({ type, balance }) => type !== 'EMBEDDED_WALLET' && balance.currency.code === 'USD',
  )
  if (!wallet || !dollars) throw new Error('The cardholder has no wallet or no account in USD.')
  await countersign.sandbox.fund(dollars.id, { amount: 50_000n })
  return { cardholderId, walletId: wallet.id, dollarsId: dollars.id }
}

/** Simulates a merchant's authorization request. In production, it comes from the card processor. */
async function authorize(cardId: string, cents: bigint): Promise<string> {
  try {
    const purchase = await countersign.sandbox.authorizeCard(cardId, {
      amount: cents,
      currency: { code: 'USD' },
      merchant: LUNCH,
    })
    return purchase.id
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error
    return error.code
  }
}

const email = `${crypto.randomUUID()}@example.com`
const { cardholderId, walletId, dollarsId } = await createCardholder('Ada Lovelace', email)
const issued = await countersign.cards.create({ cardholderId, form: 'VIRTUAL', fundingSources: [dollarsId] })
const card = await countersign.waitForCard(issued.id)
console.log(`card ${card.state}`)

const lunch = await authorize(card.id, 2_500n)
const cleared = await countersign.sandbox.clearCard(card.id, { cardTransactionId: lunch, amount: 2_500n })
console.log(`lunch ${cleared.status}`)
console.log(`car ${await authorize(card.id, 2_000_000n)}`)

// The platform has no key to freeze the card: only the cardholder can. In an app, this part runs on the
// cardholder's device.
const session = await countersign.wallet(walletId).email.signIn({ code: '000000' })
const frozen = await countersign.cards.update(card.id, { state: 'FROZEN' }, { signer: session })
console.log(`card ${frozen.state}`)
console.log(`coffee ${await authorize(card.id, 400n)}`)

for await (const { merchant, status } of countersign.cards.transactions(card.id))
  console.log(`${merchant.descriptor} ${status}`)
