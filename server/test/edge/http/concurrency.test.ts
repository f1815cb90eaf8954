import { expect, onTestFinished, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import {
  Client,
  findCredentialId,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
  sealCode,
  signIn,
} from '../../worlds/client.testing.ts'
import { newAgent, POLICY } from '../../worlds/records/agents.testing.ts'
import { openServer } from '../../worlds/server.testing.ts'

const AMOUNT = 1_000_000

/** A signed-in wallet with money for many payments, and a quote that it has not executed. */
async function newQuote(client: Client) {
  const ada = await newCustomer(client)
  const bank = await newBankAccount(client, ada.id)
  await fund(client, ada.wallet, 100 * AMOUNT)
  const { stamp } = await signIn(client, ada.wallet)
  const quote = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: ada.wallet },
    destination: { destinationType: 'ACCOUNT', accountId: bank },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: AMOUNT,
  })
  expect(quote.status).toBe(201)
  return { ...ada, stamp, id: quote.body.id as string, transactionId: quote.body.transactionId as string }
}

/** The balance of the wallet, and the number of its payments. */
async function readEffects(client: Client, quote: { id: string; wallet: string; customerId?: string }) {
  const accounts = await client.get('/customers/internal-accounts?type=EMBEDDED_WALLET')
  const account = accounts.body.data.find(({ id }: { id: string }) => id === quote.wallet)
  const payments = (await client.get('/transactions')).body.data
  return {
    spendable: account.balance.amount as number,
    total: account.totalBalance.amount as number,
    payments: payments.length as number,
  }
}

function countByKind(replies: readonly Reply[], kind: (reply: Reply) => unknown): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reply of replies) {
    const name = String(kind(reply))
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

test('one of a thousand parallel retries of a signed request succeeds, and the others are refused as used', async () => {
  const client = await newPlatform()
  const quote = await newQuote(client)
  const path = `/quotes/${quote.id}/execute`
  const challenge = await client.post(path)
  expect(challenge.status).toBe(202)
  const headers = {
    'Svc-Wallet-Signature': quote.stamp(challenge.body.payloadToSign),
    'Request-Id': challenge.body.requestId,
  }
  const replies = await Promise.all(Array.from({ length: 1000 }, () => client.post(path, undefined, headers)))
  expect(countByKind(replies, ({ status, body }) => (status === 401 ? body.reason : status))).toEqual({
    '200': 1,
    'Request already used': 999,
  })
  await client.advance(0)
  expect(await readEffects(client, quote)).toEqual({
    spendable: 99 * AMOUNT,
    total: 99 * AMOUNT,
    payments: 1,
  })
})

test('fifty parallel calls with one Idempotency-Key and signature get one response and have one effect', {
  tags: 'smoke',
}, async () => {
  const client = await newPlatform()
  const quote = await newQuote(client)
  const path = `/quotes/${quote.id}/execute`
  const challenge = await client.post(path, undefined, { 'Idempotency-Key': 'pay' })
  expect(challenge.status).toBe(202)
  const headers = {
    'Svc-Wallet-Signature': quote.stamp(challenge.body.payloadToSign),
    'Idempotency-Key': 'pay',
  }
  const replies = await Promise.all(Array.from({ length: 50 }, () => client.post(path, undefined, headers)))
  expect(countByKind(replies, ({ status }) => status)).toEqual({ '200': 50 })
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(countByKind(replies, ({ headers }) => headers.get('Idempotency-Replayed'))).toEqual({
    null: 1,
    true: 49,
  })
  await client.advance(0)
  expect(await readEffects(client, quote)).toEqual({
    spendable: 99 * AMOUNT,
    total: 99 * AMOUNT,
    payments: 1,
  })
})

test('fifty parallel wrong guesses use up a code, so that the right code is refused afterwards', async () => {
  const client = await newPlatform()
  const { wallet } = await newCustomer(client)
  const credential = await findCredentialId(client, wallet)
  const challenge = await client.post(`/auth/credentials/${credential}/challenge`)
  const submitCode = (code: string) =>
    client.post(`/auth/credentials/${credential}/verify`, {
      type: 'EMAIL_OTP',
      encryptedOtpBundle: sealCode(challenge.body.otpEncryptionTargetBundle, generateKeyPair(), code),
    })
  const refusals = await Promise.all(Array.from({ length: 50 }, (_, n) => submitCode(String(100_000 + n))))
  expect(countByKind(refusals, ({ status }) => status)).toEqual({ '401': 50 })
  expect(countByKind(refusals, ({ body }) => body.reason)).toEqual({ 'Invalid OTP code': 50 })
  expect((await submitCode('000000')).status).toBe(401)
})

test('five of fifty parallel sign-ins with the right code pass the first leg, and one gets a session', async () => {
  const client = await newPlatform()
  const { wallet } = await newCustomer(client)
  const credential = await findCredentialId(client, wallet)
  const challenge = await client.post(`/auth/credentials/${credential}/challenge`)
  const path = `/auth/credentials/${credential}/verify`
  const devices = Array.from({ length: 50 }, () => {
    const keys = generateKeyPair()
    const encryptedOtpBundle = sealCode(challenge.body.otpEncryptionTargetBundle, keys)
    return { keys, body: { type: 'EMAIL_OTP', encryptedOtpBundle } }
  })
  const firstLegs = await Promise.all(devices.map(({ body }) => client.post(path, body)))
  expect(countByKind(firstLegs, ({ status }) => status)).toEqual({ '202': 5, '401': 45 })
  const secondLegs = await Promise.all(
    devices.flatMap(({ keys, body }, n) => {
      const firstLeg = firstLegs[n]!
      if (firstLeg.status !== 202) return []
      return client.post(path, body, {
        'Svc-Wallet-Signature': makeStamp(keys, firstLeg.body.payloadToSign),
        'Request-Id': firstLeg.body.requestId,
      })
    }),
  )
  expect(countByKind(secondLegs, ({ status }) => status)).toEqual({ '200': 1, '401': 4 })
  expect((await client.get(`/auth/sessions?accountId=${wallet}`)).body.data).toHaveLength(1)
})

/** Allowed changes that conflict on one record, fifty at a time. */
const CONFLICTING_CHANGES: Readonly<
  Record<string, (client: Client) => Promise<(n: number) => Promise<Reply>>>
> = {
  'PATCH /config': async (client) => (n) =>
    client.send('PATCH', '/config', { umaDomain: `n${n}.example.com` }),
  'PATCH /customers/{customerId}': async (client) => {
    const { id } = await newCustomer(client)
    return (n) =>
      client.send('PATCH', `/customers/${id}`, { customerType: 'INDIVIDUAL', fullName: `Ada ${n}` })
  },
  'PATCH /agents/{agentId}': async (client) => {
    const agent = await newAgent(client, (await newCustomer(client)).id)
    return (n) => client.send('PATCH', `/agents/${agent.id}`, { name: `Agent ${n}` })
  },
  'PATCH /agents/{agentId}/policy': async (client) => {
    const agent = await newAgent(client, (await newCustomer(client)).id)
    return (n) =>
      client.send('PATCH', `/agents/${agent.id}/policy`, {
        spendingLimits: { ...POLICY.spendingLimits, dailyLimit: 1_000_000 + n },
      })
  },
  'POST /sandbox/clock/advance': async (client) => (n) =>
    client.post('/sandbox/clock/advance', { seconds: n }),
}

test.each(Object.entries(CONFLICTING_CHANGES))(
  'fifty parallel %s requests wait for each other, and all succeed',
  async (_, prepareChange) => {
    const change = await prepareChange(await newPlatform())
    const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => change(n)))
    expect(countByKind(replies, ({ status, body }) => (status === 200 ? 200 : JSON.stringify(body)))).toEqual(
      {
        '200': 50,
      },
    )
  },
)

test.skipIf(!process.env.DATABASE_URL)(
  'fifty parallel changes at each of two servers of one database all succeed',
  async () => {
    const firstServer = await openServer()
    const secondServer = await openServer({ DATABASE_URL: firstServer.app.config.databaseUrl! })
    onTestFinished(async () => {
      await secondServer.close()
      await firstServer.close()
    })
    const client = await firstServer.newPlatform()
    const clients = [client, new Client(client.credentials, secondServer.baseUrl)]
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        clients[n % 2]!.send('PATCH', '/config', { umaDomain: `n${n}.example.com` }),
      ),
    )
    expect(countByKind(replies, ({ status }) => status)).toEqual({ '200': 100 })
  },
)
