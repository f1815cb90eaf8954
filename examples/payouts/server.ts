import { Countersign, isCode } from '@countersign/sdk'
import { verifyWebhook, WebhookVerificationError } from '@countersign/sdk/webhooks'
import express, { type ErrorRequestHandler } from 'express'

const { BASE = '', TOKEN_ID = '', CLIENT_SECRET = '', PORT = '3000', PUBLIC_URL } = process.env
const countersign = new Countersign({ baseUrl: BASE, tokenId: TOKEN_ID, clientSecret: CLIENT_SECRET })

interface Payout {
  readonly transactionId: string
  status: string
}

/** Payouts by the caller's id. A real platform would use a database table. */
const payouts = new Map<string, Payout>()

/** Finds the USD account of the platform, from which payouts are paid. */
async function findPayingAccount(): Promise<string> {
  const { data } = await countersign.platformInternalAccounts.list({ currency: 'USD' })
  const [account] = data
  if (!account) throw new Error('The platform has no account in USD.')
  return account.id
}

const app = express()

// The signature covers the received bytes, so this route comes before the JSON parser.
app.post('/webhooks', express.raw({ type: '*/*' }), async (request, response) => {
  const secrets = (await countersign.webhookSecrets.list()).data.map(({ secret }) => secret)
  const event = await verifyWebhook({ payload: request.body, headers: request.headers, secret: secrets })
  if (event.type === 'OUTGOING_PAYMENT.COMPLETED' || event.type === 'OUTGOING_PAYMENT.FAILED')
    for (const payout of payouts.values())
      if (payout.transactionId === event.data.id) payout.status = event.data.status
  response.sendStatus(200)
})

app.use(express.json())

/** Creates a payee, which is a customer with a bank account. */
app.post('/payees', async (request, response) => {
  const { fullName, email, accountNumber, routingNumber } = request.body
  const customer = await countersign.customers.create({ customerType: 'INDIVIDUAL', fullName, email })
  const bank = await countersign.externalAccounts.create({
    customerId: customer.id,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber,
      routingNumber,
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName },
    },
  })
  response.status(201).json({ payeeId: customer.id, accountId: bank.id })
})

/** Pays `cents` to a payee's account. Sending the same `payoutId` again pays only once. */
app.put('/payouts/:payoutId', async (request, response) => {
  const { payoutId } = request.params
  const { accountId, cents } = request.body
  const quote = await countersign.quotes.create(
    {
      source: { sourceType: 'ACCOUNT', accountId: await findPayingAccount() },
      destination: { destinationType: 'ACCOUNT', accountId },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: BigInt(cents),
    },
    { idempotencyKey: `quote-${payoutId}` },
  )
  const { transactionId, status } = await countersign.quotes.execute(quote.id, {
    idempotencyKey: `execute-${payoutId}`,
  })
  if (!payouts.has(payoutId)) payouts.set(payoutId, { transactionId, status })
  response.json(payouts.get(payoutId))
})

app.get('/payouts/:payoutId', (request, response) => {
  const payout = payouts.get(request.params.payoutId)
  response.status(payout ? 200 : 404).json(payout ?? {})
})

const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof WebhookVerificationError) response.sendStatus(401)
  else if (isCode(error, 'INSUFFICIENT_BALANCE')) response.status(402).json({ message: error.message })
  else response.status(500).json({ message: error instanceof Error ? error.message : 'failed' })
}
app.use(handleError)

const server = app.listen(Number(PORT), '127.0.0.1', async () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : PORT
  const origin = PUBLIC_URL ?? `http://127.0.0.1:${port}`
  await countersign.config.update({ webhookEndpoint: `${origin}/webhooks` })
  console.log(`Listening on ${origin}`)
})
