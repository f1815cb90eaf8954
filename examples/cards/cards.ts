import { Countersign, CountersignError } from '@countersign/sdk'

const { BASE = '', TOKEN_ID = '', CLIENT_SECRET = '' } = process.env
const countersign = new Countersign({ baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET })

const LUNCH = { descriptor: 'CAFE LUNA', mcc: '5814', country: 'US' }

/** A cardholder with 500.00 USD that pay for the card, and a wallet whose key signs for it. */
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

/** A merchant asks for an amount. In production the card processor does, and the server decides. */
async function use(cardId: string, cents: bigint): Promise<string> {
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

const lunch = await use(card.id, 2_500n)
const claimed = await countersign.sandbox.clearCard(card.id, { cardTransactionId: lunch, amount: 2_500n })
console.log(`lunch ${claimed.status}`)
console.log(`car ${await use(card.id, 2_000_000n)}`)

// Only the cardholder freezes the card: the platform has no key for it. In an app, this part runs on the holder's device.
const session = await countersign.wallet(walletId).email.signIn({ code: '000000' })
const frozen = await countersign.cards.update(card.id, { state: 'FROZEN' }, { signer: session })
console.log(`card ${frozen.state}`)
console.log(`coffee ${await use(card.id, 400n)}`)

for await (const { merchant, status } of countersign.cards.transactions(card.id))
  console.log(`${merchant.descriptor} ${status}`)
