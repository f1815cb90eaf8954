import { BANK, type Connect, type Payments, type Records, requireBody, type SignIn } from './calls.js'
import { type Client, createClient, createConfig } from './generated/hey-api/client/index.js'
import * as api from './generated/hey-api/sdk.gen.js'

export const connect: Connect = ({ baseUrl, tokenId, clientSecret }) => {
  const client = createClient(
    createConfig({
      baseUrl,
      auth: ({ scheme }) => (scheme === 'basic' ? `${tokenId}:${clientSecret}` : undefined),
    }),
  )
  return { ...buildRecords(client), ...signIn(client), ...buildPayments(client) }
}

function buildRecords(client: Client): Records {
  return {
    async createCustomer(email) {
      const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email } as const
      const { data, error } = await api.customerCreate({ client, body })
      return requireBody(data, error).id
    },
    async accounts(customerId) {
      const { data, error } = await api.customerInternalAccountList({ client, query: { customerId } })
      return requireBody(data, error).data.map(({ id, type, balance }) => ({
        id,
        type,
        currency: balance.currency.code,
      }))
    },
    async fund(accountId, amount) {
      const { data, error } = await api.sandboxAccountFund({ client, path: { accountId }, body: { amount } })
      requireBody(data, error)
    },
    async addBankAccount(customerId) {
      const { data, error } = await api.customerExternalAccountCreate({
        client,
        body: { customerId, ...BANK },
      })
      return requireBody(data, error).id
    },
  }
}

function signIn(client: Client): SignIn {
  return {
    async findCredential(accountId) {
      const { data, error } = await api.credentialList({ client, query: { accountId } })
      return requireBody(requireBody(data, error).data[0], accountId).id
    },
    async challenge(id) {
      const { data, error } = await api.credentialChallenge({ client, path: { id } })
      const body = requireBody(data, error)
      return requireBody(
        'otpEncryptionTargetBundle' in body ? body.otpEncryptionTargetBundle : undefined,
        body,
      )
    },
    async verify(id, encryptedOtpBundle, signed) {
      const { data, error } = await api.credentialVerify({
        client,
        path: { id },
        body: { type: 'EMAIL_OTP', encryptedOtpBundle },
        ...(signed && {
          headers: { 'Svc-Wallet-Signature': signed.signature, 'Request-Id': signed.requestId },
        }),
      })
      const body = requireBody(data, error)
      return 'payloadToSign' in body ? { status: 202, ...body } : { status: 200, state: body.type }
    },
  }
}

function buildPayments(client: Client): Payments {
  return {
    async quote(from, to, amount) {
      const { data, error } = await api.quoteCreate({
        client,
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
      const { data, error } = await api.quoteExecute({
        client,
        path: { quoteId },
        headers: {
          'Idempotency-Key': key,
          ...(signed && { 'Svc-Wallet-Signature': signed.signature, 'Request-Id': signed.requestId }),
        },
      })
      const body = requireBody(data, error)
      return 'requestId' in body ? { ...body, status: 202 } : { status: 200, state: body.status }
    },
    async transferOut(from, to, amount) {
      const body = { source: { accountId: from }, destination: { accountId: to }, amount }
      const { data, error } = await api.transferOut({ client, body })
      return requireBody(data, error).id
    },
    async transactionStatus(transactionId) {
      const { data, error } = await api.transactionGet({ client, path: { transactionId } })
      return requireBody(data, error).status
    },
  }
}
