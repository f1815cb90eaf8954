import {
  BANK,
  type Connect,
  formatBasicCredentials,
  type Payments,
  type Records,
  type SignIn,
} from './calls.js'
import * as api from './generated/oazapfts.js'

interface Options {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
}

export const connect: Connect = (connection) => {
  const options = {
    baseUrl: connection.baseUrl,
    headers: { Authorization: formatBasicCredentials(connection) },
  }
  return { ...buildRecords(options), ...signIn(options), ...buildPayments(options) }
}

function buildRecords(options: Options): Records {
  return {
    async createCustomer(email) {
      const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email } as const
      return requireBody(await api.customerCreate(body, {}, options), 201).id
    },
    async accounts(customerId) {
      const { data } = requireBody(await api.customerInternalAccountList({ customerId }, options), 200)
      return data.map(({ id, type, balance }) => ({ id, type, currency: balance.currency.code }))
    },
    async fund(accountId, amount) {
      requireBody(await api.sandboxAccountFund(accountId, { amount }, {}, options), 200)
    },
    async addBankAccount(customerId) {
      return requireBody(await api.customerExternalAccountCreate({ customerId, ...BANK }, {}, options), 201)
        .id
    },
  }
}

function signIn(options: Options): SignIn {
  return {
    async findCredential(accountId) {
      const [first] = requireBody(await api.credentialList(accountId, options), 200).data
      if (!first) throw new Error(accountId)
      return first.id
    },
    async challenge(id) {
      const body = requireBody(await api.credentialChallenge(id, undefined, {}, options), 200)
      if (!('otpEncryptionTargetBundle' in body) || body.otpEncryptionTargetBundle === undefined)
        throw new Error(JSON.stringify(body))
      return body.otpEncryptionTargetBundle
    },
    async verify(id, encryptedOtpBundle, signed) {
      const response = await api.credentialVerify(
        id,
        { type: 'EMAIL_OTP', encryptedOtpBundle },
        buildSignedHeaders(signed),
        options,
      )
      return response.status === 202
        ? { status: 202, payloadToSign: response.data.payloadToSign, requestId: response.data.requestId }
        : { status: 200, state: requireBody(response, 200).type }
    },
  }
}

function buildPayments(options: Options): Payments {
  return {
    async quote(from, to, amount) {
      const body = {
        source: { sourceType: 'ACCOUNT', accountId: from },
        destination: { destinationType: 'ACCOUNT', accountId: to },
        lockedCurrencySide: 'RECEIVING',
        lockedCurrencyAmount: amount,
      } as const
      const { id, transactionId, rateDetails } = requireBody(await api.quoteCreate(body, {}, options), 201)
      return { id, transactionId, fixedFee: rateDetails?.svcApiFixedFee }
    },
    async execute(quoteId, idempotencyKey, signed) {
      const response = await api.quoteExecute(
        quoteId,
        { idempotencyKey, ...buildSignedHeaders(signed) },
        options,
      )
      return response.status === 202
        ? { status: 202, payloadToSign: response.data.payloadToSign, requestId: response.data.requestId }
        : { status: 200, state: requireBody(response, 200).status }
    },
    async transferOut(from, to, amount) {
      const body = { source: { accountId: from }, destination: { accountId: to }, amount }
      return requireBody(await api.transferOut(body, {}, options), 201).id
    },
    async transactionStatus(transactionId) {
      return requireBody(await api.transactionGet(transactionId, options), 200).status
    },
  }
}

function buildSignedHeaders(signed: { signature: string; requestId: string } | undefined) {
  return signed ? { svcWalletSignature: signed.signature, requestId: signed.requestId } : {}
}

/** Returns a response's body. Throws if the status differs. */
function requireBody<A extends { status: number; data?: unknown }, S extends A['status']>(
  response: A,
  status: S,
): Extract<A, { status: S }>['data'] {
  if (response.status !== status) throw new Error(JSON.stringify(response))
  return (response as Extract<A, { status: S }>).data
}
