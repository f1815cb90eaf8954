import { createHash } from 'node:crypto'
import { PAYLOADS, type SignedOperation } from '@countersign/contract/signing/payloads'
import { describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { parseJson, toCanonicalJson, toJson } from '../../../src/base/json/json.ts'
import { validator } from '../../../src/edge/http/request/validate.ts'
import {
  type Client,
  findCredentialId,
  fund,
  newCustomer,
  newPlatform,
  type Reply,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { newCard } from '../../worlds/records/cards.testing.ts'
import { Authenticator } from '../../worlds/records/members.testing.ts'

const hashSha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Checks a payload against its schema: every field is declared, and all declared fields are present. */
function readPayload(operation: SignedOperation, text: string) {
  const parsed = parseJson(text) as Reply['body']
  const payload = validator(PAYLOADS[operation], 'answer')(parsed) as Reply['body']
  expect(toCanonicalJson(payload), 'without members that no schema names').toBe(toCanonicalJson(parsed))
  return payload
}

async function createFundedWallet() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.wallet, 100_000_000)
  return { client, customer }
}

async function addAccount(client: Client, customerId: string, accountInfo: object, currency = 'USD') {
  const { status, body } = await client.post('/customers/external-accounts', {
    customerId,
    currency,
    accountInfo,
  })
  expect(status, toJson(body)).toBe(201)
  return body.id as string
}

const buildUsAccount = (accountNumber: string, fullName: string) => ({
  accountType: 'USD_ACCOUNT',
  accountNumber,
  routingNumber: '021000021',
  beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName },
})

async function createQuoteTo(client: Client, wallet: string, destination: object) {
  const { status, body } = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: wallet },
    destination,
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 25_000_000,
  })
  expect(status, toJson(body)).toBe(201)
  const text = body.paymentInstructions[0].accountOrWalletInfo.payloadToSign as string
  return { quote: body, payload: readPayload('quote_execute', text) }
}

const buildDestination = (accountId: string, extraFields: object = {}) => ({
  destinationType: 'ACCOUNT',
  accountId,
  ...extraFields,
})

describe('the payload of a payment', () => {
  test('distinguishes accounts with the same name and ending, in the sentence and in the details', async () => {
    const { client, customer } = await createFundedWallet()
    const details = ['1000004321', '2000004321'].map((number) => buildUsAccount(number, 'Ada Lovelace'))
    const payloads = []
    for (const accountInfo of details) {
      const accountId = await addAccount(client, customer.id, accountInfo)
      const { payload } = await createQuoteTo(
        client,
        customer.wallet,
        buildDestination(accountId, { paymentRail: 'WIRE' }),
      )
      expect(payload.destination).toEqual({
        ...buildDestination(accountId),
        currency: 'USD',
        paymentRail: 'WIRE',
        accountInfo,
      })
      payloads.push(payload)
    }
    const [firstPayload, secondPayload] = payloads
    expect(firstPayload.summary).toBe(
      `Pay 25.000000 USDB, fees included, so that “Ada Lovelace” (USD account, account number 1000004321, ` +
        `routing number 021000021) receives ${formatDollars(firstPayload.delivers.amount)} USD`,
    )
    expect(secondPayload.summary).toBe(firstPayload.summary.replace('1000004321', '2000004321'))
  })

  test('quotes a name so that it cannot be mistaken for a part of the sentence', async () => {
    const { client, customer } = await createFundedWallet()
    const fullName = 'Ada” (USD account, account number 1) receives 1.00 USD. Not "Bob'
    const accountId = await addAccount(client, customer.id, buildUsAccount('1234567890', fullName))
    const { payload } = await createQuoteTo(client, customer.wallet, buildDestination(accountId))
    expect(payload.summary).toContain(
      "so that “Ada' (USD account, account number 1) receives 1.00 USD. Not 'Bob” (USD account, account number 1234567890,",
    )
    expect(payload.summary.match(/[“”]/g)).toEqual(['“', '”'])
    expect(payload.destination.accountInfo.beneficiary.fullName).toBe(fullName)
  })

  test('shows internal accounts and UMA addresses in full', async () => {
    const { client, customer } = await createFundedWallet()
    const friend = await newCustomer(client)
    const internalQuote = await createQuoteTo(client, customer.wallet, buildDestination(friend.usd))
    expect(internalQuote.payload.destination).toEqual({ ...buildDestination(friend.usd), currency: 'USD' })
    expect(internalQuote.payload.summary).toContain(`so that the USD account ${friend.usd} receives`)
    const uma = { destinationType: 'UMA_ADDRESS', umaAddress: '$success.usd@sandbox.uma.test' }
    const { payload } = await createQuoteTo(client, customer.wallet, uma)
    expect(payload.destination).toEqual({ ...uma, currency: 'USD' })
    expect(payload.summary).toContain(`so that ${uma.umaAddress} receives`)
  })
})

function formatDollars(cents: bigint): string {
  return (Number(cents) / 100).toFixed(2)
}

/** A wallet with two credentials, and every operation that it can sign. */
async function createSigningWorld() {
  const { client, customer } = await createFundedWallet()
  const { wallet, usd, id, email } = customer
  const session = await signIn(client, wallet)
  const buildRegistration = (authenticator: Authenticator) => ({
    type: 'PASSKEY',
    accountId: wallet,
    nickname: 'My “phone”',
    challenge: 'c29tZSBjaGFsbGVuZ2U',
    attestation: authenticator.attest('c29tZSBjaGFsbGVuZ2U'),
  })
  const ownAuthenticator = new Authenticator()
  const { body } = await sendSigned(
    client,
    session,
    'POST',
    '/auth/credentials',
    buildRegistration(ownAuthenticator),
  )
  const passkey = {
    id: body.id as string,
    type: 'PASSKEY',
    nickname: 'My “phone”',
    credentialId: ownAuthenticator.credentialId,
  }
  const codeCredential = { id: await findCredentialId(client, wallet), type: 'EMAIL_OTP', nickname: email }
  const authenticator = new Authenticator()
  const clientPublicKey = generateKeyPair().publicKey.uncompressedHex
  const bank = await addAccount(client, id, buildUsAccount('1234567890', 'Grace Hopper'))
  const { quote } = await createQuoteTo(client, wallet, buildDestination(bank))
  const [card, walletCard] = [await newCard(client, id, [usd]), await newCard(client, id, [wallet])]
  const newEmail = `new-${email}`

  const calls: readonly SignedCall[] = [
    {
      method: 'POST',
      path: '/auth/credentials',
      body: buildRegistration(authenticator),
      type: 'PASSKEY',
      states: {
        operation: 'credential_create',
        summary: "Add a way to sign in to this wallet: the passkey “My 'phone'”",
        credential: {
          type: 'PASSKEY',
          nickname: 'My “phone”',
          credentialId: authenticator.credentialId,
          publicKey: expect.stringMatching(/^[0-9A-Za-z_-]{80,}$/),
        },
      },
    },
    {
      method: 'DELETE',
      path: `/auth/credentials/${passkey.id}`,
      type: 'PASSKEY',
      states: {
        operation: 'credential_delete',
        summary: "Remove a way to sign in to this wallet: the passkey “My 'phone'”",
        credential: passkey,
      },
    },
    {
      method: 'POST',
      path: `/auth/sessions/${session.sessionId}/refresh`,
      body: { clientPublicKey },
      states: {
        operation: 'session_refresh',
        summary: `Stay signed in to this wallet with codes to the e-mail address “${email}”: a new key for this device`,
        session: session.sessionId,
        credential: codeCredential,
        clientPublicKey,
      },
    },
    {
      method: 'DELETE',
      path: `/auth/sessions/${session.sessionId}`,
      states: {
        operation: 'session_delete',
        summary: expect.stringMatching(
          /^End the session of this wallet that began with codes to the e-mail address “.*” at 20..-/,
        ),
        session: session.sessionId,
        credential: codeCredential,
      },
    },
    {
      method: 'PATCH',
      path: `/internal-accounts/${wallet}`,
      body: { privateEnabled: true },
      states: {
        operation: 'internal_account_update',
        summary: 'Hide the balance of this wallet',
        privateEnabled: true,
      },
    },
    {
      method: 'POST',
      path: `/internal-accounts/${wallet}/export`,
      body: { clientPublicKey },
      states: {
        operation: 'internal_account_export',
        summary: 'Export the recovery phrase of this wallet. Anyone who has the phrase can spend the money',
        clientPublicKey,
      },
    },
    {
      method: 'PATCH',
      path: `/customers/${id}`,
      body: { customerType: 'INDIVIDUAL', email: newEmail },
      states: {
        operation: 'customer_update',
        summary: `Send the sign-in codes of this wallet to “${newEmail}” instead of “${email}”`,
        customer: id,
        oldEmail: email,
        newEmail,
        credentials: [codeCredential],
      },
    },
    {
      method: 'PATCH',
      path: `/cards/${card.id}`,
      body: { state: 'FROZEN', fundingSources: [usd] },
      states: {
        operation: 'card_update',
        summary: `Freeze the card ending in ${card.last4}, and let it be paid from the USD account ${usd}, and from nothing else`,
        card: card.id,
        last4: card.last4,
        state: 'FROZEN',
        fundingSources: [usd],
      },
      statusWithoutId: 202,
    },
    {
      method: 'POST',
      path: '/auth/delegated-keys',
      body: { cardId: walletCard.id, internalAccountId: wallet, nickname: 'Groceries' },
      states: {
        operation: 'delegated_key_create',
        summary: `Let the card ending in ${walletCard.last4} take any amount from this wallet without asking again`,
        card: walletCard.id,
        last4: walletCard.last4,
        nickname: 'Groceries',
      },
    },
    {
      method: 'POST',
      path: `/quotes/${quote.id}/execute`,
      states: { operation: 'quote_execute', quote: quote.id },
      statusWithoutId: 200,
    },
  ]
  return { client, wallet, session, calls }
}

interface SignedCall {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
  /** The fields that are specific to this payload. */
  readonly states: { readonly operation: SignedOperation; readonly [member: string]: unknown }
  /** The credential type in its 202. Default: the type of the wallet's first credential. */
  readonly type?: string
  /** The status for a signature without Request-Id. Default: 401. */
  readonly statusWithoutId?: number
}

describe('every signed operation', () => {
  test('states its effect in a sentence and in typed fields', async () => {
    const { client, wallet, calls } = await createSigningWorld()
    for (const { method, path, body, states } of calls) {
      const { status, body: reply } = await client.send(method, path, body)
      expect(status, toJson(reply)).toBe(202)
      const { requestId, expiresAt } = reply
      expect(readPayload(states.operation, reply.payloadToSign)).toMatchObject({
        ...states,
        account: wallet,
        target: `${method} ${path}`,
        bodySha256: hashSha256(toCanonicalJson(body ?? null)),
        requestId,
        expiresAt,
      })
    }
  })

  test("names the kind of credential used, or the wallet's first if any is allowed", async () => {
    const { client, calls } = await createSigningWorld()
    for (const { method, path, body, type = 'EMAIL_OTP' } of calls) {
      const reply = await client.send(method, path, body)
      expect(reply, path).toMatchObject({ status: 202, body: { type } })
    }
  })

  test('refuses a signature without Request-Id, except for a quote, which the wallet may have signed before', async () => {
    const { client, session, calls } = await createSigningWorld()
    for (const { method, path, body, statusWithoutId = 401 } of calls) {
      const challenge = await client.send(method, path, body)
      const stamp = { 'Svc-Wallet-Signature': session.stamp(challenge.body.payloadToSign) }
      const reply = await client.send(method, path, body, stamp)
      expect(reply.status, path).toBe(statusWithoutId)
      if (statusWithoutId === 401) expect(reply.body).toMatchObject({ code: 'REQUEST_ID_MISSING' })
    }
  })

  test('gives a passkey sign-in the text behind its challenge, which names the key of the session', async () => {
    const { client, customer } = await createFundedWallet()
    const session = await signIn(client, customer.wallet)
    const authenticator = new Authenticator()
    const { body: passkey } = await sendSigned(client, session, 'POST', '/auth/credentials', {
      type: 'PASSKEY',
      accountId: customer.wallet,
      nickname: 'Phone',
      challenge: 'c29tZSBjaGFsbGVuZ2U',
      attestation: authenticator.attest('c29tZSBjaGFsbGVuZ2U'),
    })
    const device = generateKeyPair().publicKey.uncompressedHex
    const path = `/auth/credentials/${passkey.id}`
    const { body } = await client.post(`${path}/challenge`, { clientPublicKey: device })
    expect(body.challenge).toBe(hashSha256(body.payloadToSign))
    expect(readPayload('credential_verify', body.payloadToSign)).toEqual({
      operation: 'credential_verify',
      summary: 'Sign in to this wallet with the passkey “Phone”',
      credential: {
        id: passkey.id,
        type: 'PASSKEY',
        nickname: 'Phone',
        credentialId: authenticator.credentialId,
      },
      clientPublicKey: device,
      account: customer.wallet,
      target: `POST ${path}/verify`,
      bodySha256: hashSha256('null'),
      requestId: body.requestId,
      expiresAt: body.expiresAt,
    })
  })
})
