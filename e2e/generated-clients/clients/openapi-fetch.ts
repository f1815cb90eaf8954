import createClient, { type Client } from 'openapi-fetch'
import {
  BANK,
  type Connect,
  formatBasicCredentials,
  type Payments,
  type Records,
  requireBody,
  type SignedCallResult,
  type SignIn,
} from './calls.js'
import type { components, paths } from './generated/openapi-typescript.js'

type Challenge = components['schemas']['SignedRequestChallenge']

export const connect: Connect = (connection) => {
  const client = createClient<paths>({
    baseUrl: connection.baseUrl,
    headers: { Authorization: formatBasicCredentials(connection) },
  })
  return { ...buildRecords(client), ...signIn(client), ...buildPayments(client) }
}

function buildRecords(client: Client<paths>): Records {
  return {
    async createCustomer(email) {
      const { data, error } = await client.POST('/customers', {
        body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email },
      })
      return requireBody(data, error).id
    },
    async accounts(customerId) {
      const { data, error } = await client.GET('/customers/internal-accounts', {
        params: { query: { customerId } },
      })
      return requireBody(data, error).data.map(({ id, type, balance }) => ({
        id,
        type,
        currency: balance.currency.code,
      }))
    },
    async fund(accountId, amount) {
      const { data, error } = await client.POST('/sandbox/internal-accounts/{accountId}/fund', {
        params: { path: { accountId } },
        body: { amount },
      })
      requireBody(data, error)
    },
    async addBankAccount(customerId) {
      const { data, error } = await client.POST('/customers/external-accounts', {
        body: { customerId, ...BANK },
      })
      return requireBody(data, error).id
    },
  }
}

function signIn(client: Client<paths>): SignIn {
  return {
    async findCredential(accountId) {
      const { data, error } = await client.GET('/auth/credentials', { params: { query: { accountId } } })
      return requireBody(requireBody(data, error).data[0], accountId).id
    },
    async challenge(id) {
      const { data, error } = await client.POST('/auth/credentials/{id}/challenge', {
        params: { path: { id } },
      })
      const body = requireBody(data, error)
      return requireBody(
        'otpEncryptionTargetBundle' in body ? body.otpEncryptionTargetBundle : undefined,
        body,
      )
    },
    async verify(id, encryptedOtpBundle, signed) {
      const { data, error } = await client.POST('/auth/credentials/{id}/verify', {
        params: {
          path: { id },
          header: signed && { 'Svc-Wallet-Signature': signed.signature, 'Request-Id': signed.requestId },
        },
        body: { type: 'EMAIL_OTP', encryptedOtpBundle },
      })
      const body = requireBody(data, error)
      return 'payloadToSign' in body ? readChallenge(body) : { status: 200, state: body.type }
    },
  }
}

function buildPayments(client: Client<paths>): Payments {
  return {
    async quote(from, to, amount) {
      const { data, error } = await client.POST('/quotes', {
        body: {
          source: { sourceType: 'ACCOUNT', accountId: from },
          destination: { destinationType: 'ACCOUNT', accountId: to },
          lockedCurrencySide: 'RECEIVING',
          lockedCurrencyAmount: amount,
        },
      })
      const { id, transactionId, rateDetails } = requireBody(data, error)
      return { id, transactionId, fixedFee: rateDetails?.svcApiFixedFee }
    },
    async execute(quoteId, key, signed) {
      const { data, error } = await client.POST('/quotes/{quoteId}/execute', {
        params: {
          path: { quoteId },
          header: {
            'Idempotency-Key': key,
            ...(signed && { 'Svc-Wallet-Signature': signed.signature, 'Request-Id': signed.requestId }),
          },
        },
      })
      const body = requireBody(data, error)
      return 'requestId' in body ? readChallenge(body) : { status: 200, state: body.status }
    },
    async transferOut(from, to, amount) {
      const { data, error } = await client.POST('/transfer-out', {
        body: { source: { accountId: from }, destination: { accountId: to }, amount },
      })
      return requireBody(data, error).id
    },
    async transactionStatus(transactionId) {
      const { data, error } = await client.GET('/transactions/{transactionId}', {
        params: { path: { transactionId } },
      })
      return requireBody(data, error).status
    },
  }
}

function readChallenge({ payloadToSign, requestId }: Challenge): SignedCallResult {
  return { status: 202, payloadToSign, requestId }
}
