import { randomBytes } from 'node:crypto'
import { MAGIC_VALUE_FAMILIES, type MagicValueFamily } from '@countersign/contract/sandbox/sandbox'
import type { Static } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import {
  type Client,
  findCredentialId,
  fund,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
  sealCode,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { forEach } from '../../worlds/contract/calls.testing.ts'
import {
  clear,
  newCard,
  now,
  type Purchase,
  readCard,
  use,
  used,
} from '../../worlds/records/cards.testing.ts'
import { Authenticator } from '../../worlds/records/members.testing.ts'

type Family = Static<typeof MagicValueFamily>
type Value = Family['values'][number]

const FUNDED = 10_000_000
const AMOUNT = 1000

let client: Client
let customer: Awaited<ReturnType<typeof newCustomer>>
let families: Family[]
beforeAll(async () => {
  client = await newPlatform()
  customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  families = (await client.get('/sandbox/magic-values')).body.data
})

const findDefaultOutcome = (family: Family['family']) =>
  families.find((listed) => listed.family === family)!.otherwise
const findValues = (family: Family['family']) => families.find((listed) => listed.family === family)!.values

test('every family of magic values is listed, with each value once and the outcome of other values', () => {
  expect(families.map(({ family }) => family)).toEqual(MAGIC_VALUE_FAMILIES)
  for (const { family, values } of families) {
    expect(values.length, family).toBeGreaterThan(0)
    for (const { suffix, value } of values)
      expect([suffix, value].filter(Boolean), `${family} ${suffix ?? value}`).toHaveLength(1)
    const keys = values.map(({ suffix, value }) => suffix ?? value)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys).toEqual(family === 'QUOTE_TO_UMA_ADDRESS' ? keys : keys.toSorted())
  }
})

describe('a magic value has its listed outcome', () => {
  test('for people and businesses', async () => {
    await forEach(findValues('CUSTOMER_VERIFICATION'), async ({ suffix, outcome }) => {
      const person = { customerType: 'INDIVIDUAL', fullName: `Ada Lovelace${suffix}` }
      expect((await client.post('/customers', person)).body.kycStatus, suffix).toBe(outcome)
      const businessInfo = {
        legalName: 'Analytical Engines',
        taxId: '1',
        incorporatedOn: '2000-01-01',
        registrationNumber: `HRB 12${suffix}`,
      }
      const business = { customerType: 'BUSINESS', businessInfo }
      expect((await client.post('/customers', business)).body.kybStatus, suffix).toBe(outcome)
    })
  })

  test('for external accounts', async () => {
    await forEach(findValues('BENEFICIARY_VERIFICATION'), async ({ suffix, outcome }) => {
      const reply = await client.post('/customers/external-accounts', buildBankAccount(`55501${suffix}`))
      if (outcome === 'INVALID')
        expect(reply.body).toMatchObject({ status: 400, code: 'INVALID_BANK_ACCOUNT' })
      else expect(reply.body.beneficiaryVerificationStatus, suffix).toBe(outcome)
    })
    // A wallet has no beneficiary.
    await forEach(findValues('BENEFICIARY_VERIFICATION'), async ({ suffix, outcome }) => {
      const reply = await client.post('/customers/external-accounts', buildWallet(suffix!))
      if (outcome === 'INVALID')
        expect(reply.body).toMatchObject({ status: 400, code: 'INVALID_BANK_ACCOUNT' })
      else {
        expect(reply.status, suffix).toBe(201)
        expect(reply.body, suffix).not.toHaveProperty('beneficiaryVerificationStatus')
      }
    })
  })

  test('for payments at the listed time', async () => {
    const families = [
      'TRANSFER_IN',
      'TRANSFER_OUT',
      'QUOTE_TO_EXTERNAL_ACCOUNT',
      'QUOTE_FROM_EXTERNAL_ACCOUNT',
      'QUOTE_TO_UMA_ADDRESS',
    ] as const
    const banks = new Map<string, Promise<string>>()
    const findOrAddBank = (suffix: string) => {
      if (!banks.has(suffix)) banks.set(suffix, newBankAccount(client, customer.id, suffix))
      return banks.get(suffix)!
    }
    const payments: { name: string; value: Value; transactionId: string }[] = []
    await forEach(
      families.flatMap((family) => findValues(family).map((value) => ({ family, value }))),
      async ({ family, value }) => {
        const name = `${family} ${value.suffix ?? value.value}`
        const reply = await startPayment(family, value, findOrAddBank)
        expect(reply.status, `${name} ${JSON.stringify(reply.body)}`).toBe(201)
        payments.push({ name, value, transactionId: reply.body.transactionId ?? reply.body.id })
      },
    )
    const checkAll = async (isTime: (afterSeconds: number) => boolean) =>
      forEach(payments, async ({ name, value, transactionId }) => {
        const { status, failureReason, refund } = (await client.get(`/transactions/${transactionId}`)).body
        const actual = { outcome: status, failureReason, refundStatus: refund?.status }
        const { outcome, afterSeconds = 0 } = value
        const expected = { outcome, failureReason: value.failureReason, refundStatus: value.refundStatus }
        if (isTime(afterSeconds)) expect(actual, name).toEqual(expected)
        else expect(actual.outcome, name).not.toBe(outcome)
      })
    await client.advance(0)
    await checkAll((afterSeconds) => afterSeconds === 0)
    await client.advance(Math.max(...payments.map(({ value }) => value.afterSeconds ?? 0)))
    await checkAll(() => true)
  })

  test('for cards and purchases', async () => {
    const cards = await Promise.all(
      findValues('CARD').map(async (value) => {
        const platformCardId = `my-card-${value.suffix}`
        return { value, card: await newCard(client, customer.id, [customer.usd], { platformCardId }) }
      }),
    )
    const card = await newCard(client, customer.id, [customer.usd])
    expect(card.state).toBe(findDefaultOutcome('CARD'))
    const purchases: { value: Value; purchase: Purchase }[] = []
    for (const value of findValues('CARD_PURCHASE')) {
      const reply = await use(client, card.id, AMOUNT, { descriptor: `SHOP ${value.suffix}` })
      if (reply.status === 403) expect(reply.body.code, value.suffix).toBe(value.outcome)
      else {
        expect((await clear(client, reply.body, AMOUNT)).status, value.suffix).toBe(200)
        purchases.push({ value, purchase: reply.body })
      }
    }
    const plain = await used(client, card.id, AMOUNT)
    await clear(client, plain, AMOUNT)
    expect((await now(client, plain)).status).toBe(findDefaultOutcome('CARD_PURCHASE'))
    const expectOutcome = (label: string, { outcome }: Value, actual: string, isTime: boolean) =>
      isTime ? expect(actual, label).toBe(outcome) : expect(actual, label).not.toBe(outcome)
    const checkAll = async (isOver: boolean) => {
      for (const { value, card } of cards) {
        const { state } = await readCard(client, card.id)
        expectOutcome(`CARD ${value.suffix}`, value, state, isOver || value.afterSeconds === undefined)
      }
      for (const { value, purchase } of purchases) {
        const label = `CARD_PURCHASE ${value.suffix}`
        const { status, pullSummary } = await now(client, purchase)
        expectOutcome(label, value, status, isOver || value.afterSeconds === undefined)
        const isPulled = isOver || !value.meaning.endsWith('pulled 30 seconds later')
        expect(pullSummary.pendingCount, label).toBe(isPulled ? 0 : 1)
      }
    }
    await checkAll(false)
    await client.advance(30)
    await checkAll(true)
  })

  test('for a one-time code and for both kinds of signature', async () => {
    const [code] = findValues('ONE_TIME_CODE')
    const [walletSignature] = findValues('WALLET_SIGNATURE')
    const [passkeySignature] = findValues('PASSKEY_SIGNATURE')
    const credential = await findCredentialId(client, customer.wallet)
    const challenged = await client.post(`/auth/credentials/${credential}/challenge`)
    const encryptedOtpBundle = sealCode(
      challenged.body.otpEncryptionTargetBundle,
      generateKeyPair(),
      code!.value,
    )
    const verified = await client.post(`/auth/credentials/${credential}/verify`, {
      type: 'EMAIL_OTP',
      encryptedOtpBundle,
    })
    expect(verified.status).toBe(202)

    const session = await signIn(client, customer.wallet)
    const byMagic = { stamp: () => walletSignature!.value! }
    const hide = { privateEnabled: true }
    expect(
      (await sendSigned(client, byMagic, 'PATCH', `/internal-accounts/${customer.wallet}`, hide)).status,
    ).toBe(200)

    const passkey = new Authenticator()
    const challenge = randomBytes(16).toString('base64url')
    const { body } = await sendSigned(client, session, 'POST', '/auth/credentials', {
      type: 'PASSKEY',
      accountId: customer.wallet,
      nickname: 'Phone',
      challenge,
      attestation: passkey.attest(challenge),
    })
    const passkeyChallenge = await client.post(`/auth/credentials/${body.id}/challenge`, {
      clientPublicKey: generateKeyPair().publicKey.uncompressedHex,
    })
    const assertion = {
      ...passkey.assert(passkeyChallenge.body.challenge),
      signature: passkeySignature!.value,
    }
    const passkeyReply = await client.post(
      `/auth/credentials/${body.id}/verify`,
      { type: 'PASSKEY', assertion },
      { 'Request-Id': passkeyChallenge.body.requestId },
    )
    expect(passkeyReply.status).toBe(200)
  })
})

test('any other value has the default outcome that its family lists', async () => {
  const person = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace009' }
  expect((await client.post('/customers', person)).body.kycStatus).toBe(
    findDefaultOutcome('CUSTOMER_VERIFICATION'),
  )
  const bank = await client.post('/customers/external-accounts', buildBankAccount('555020009'))
  expect(bank.body.beneficiaryVerificationStatus).toBe(findDefaultOutcome('BENEFICIARY_VERIFICATION'))
  for (const family of [
    'TRANSFER_IN',
    'TRANSFER_OUT',
    'QUOTE_TO_EXTERNAL_ACCOUNT',
    'QUOTE_FROM_EXTERNAL_ACCOUNT',
  ] as const) {
    const { body } = await startPayment(
      family,
      { suffix: '009', outcome: '', meaning: '' },
      async () => bank.body.id,
    )
    await client.advance(0)
    const { status } = (await client.get(`/transactions/${body.transactionId ?? body.id}`)).body
    expect(status, family).toBe(findDefaultOutcome(family))
  }
})

function buildBankAccount(accountNumber: string) {
  return {
    customerId: customer.id,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  }
}

function buildWallet(suffix: string) {
  return {
    customerId: customer.id,
    currency: 'USDC',
    accountInfo: { accountType: 'ETHEREUM_WALLET', address: `0x${'0'.repeat(37)}${suffix}` },
  }
}

/** Starts a payment with a magic value of this family. */
async function startPayment(
  family:
    | 'TRANSFER_IN'
    | 'TRANSFER_OUT'
    | 'QUOTE_TO_EXTERNAL_ACCOUNT'
    | 'QUOTE_FROM_EXTERNAL_ACCOUNT'
    | 'QUOTE_TO_UMA_ADDRESS',
  { suffix, value }: Value,
  findOrAddBank: (suffix: string) => Promise<string>,
): Promise<Reply> {
  const ownAccount = { accountId: customer.usd }
  const amount = AMOUNT
  if (family === 'TRANSFER_IN')
    return client.post('/transfer-in', {
      source: { accountId: await findOrAddBank(suffix!) },
      destination: ownAccount,
      amount,
    })
  if (family === 'TRANSFER_OUT')
    return client.post('/transfer-out', {
      source: ownAccount,
      destination: { accountId: await findOrAddBank(suffix!) },
      amount,
    })
  const bank = suffix === undefined ? undefined : { accountId: await findOrAddBank(suffix) }
  const [payer, payee] = family === 'QUOTE_FROM_EXTERNAL_ACCOUNT' ? [bank, ownAccount] : [ownAccount, bank]
  const destination = payee
    ? { destinationType: 'ACCOUNT', ...payee }
    : { destinationType: 'UMA_ADDRESS', umaAddress: value }
  return client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', ...payer },
    destination,
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: amount,
    immediatelyExecute: true,
  })
}
