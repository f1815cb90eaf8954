import {
  BANK,
  type Connect,
  formatBasicCredentials,
  type SignatureHeaders,
  type SignedCallResult,
} from './calls.js'
import {
  Api,
  type HttpResponse,
  LockedCurrencySide,
  type SignedRequestChallenge,
} from './generated/swagger-typescript-api.js'

export const connect: Connect = (connection) => {
  const api = new Api({
    baseUrl: connection.baseUrl,
    baseApiParams: { headers: { Authorization: formatBasicCredentials(connection) }, format: 'json' },
  })
  return {
    async createCustomer(email) {
      const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email } as const
      return (await api.customers.customerCreate(body)).data.id
    },
    async accounts(customerId) {
      const { data } = (await api.customers.customerInternalAccountList({ customerId })).data
      return data.map(({ id, type, balance }) => ({ id, type, currency: balance.currency.code }))
    },
    async fund(accountId, amount) {
      await api.sandbox.sandboxAccountFund(accountId, { amount })
    },
    async addBankAccount(customerId) {
      return (await api.customers.customerExternalAccountCreate({ customerId, ...BANK })).data.id
    },
    async findCredential(accountId) {
      const [first] = (await api.auth.credentialList({ accountId })).data.data
      if (!first) throw new Error(accountId)
      return first.id
    },
    async challenge(id) {
      const { data } = await api.auth.credentialChallenge(id)
      const bundle = 'otpEncryptionTargetBundle' in data ? data.otpEncryptionTargetBundle : undefined
      if (typeof bundle !== 'string') throw new Error(JSON.stringify(data))
      return bundle
    },
    async verify(id, encryptedOtpBundle, signed) {
      const body = { type: 'EMAIL_OTP', encryptedOtpBundle } as const
      const response = await api.auth.credentialVerify(id, body, { headers: buildHeaders(signed) })
      return readChallenge(response) ?? { status: 200, state: response.data.type }
    },
    async quote(from, to, amount) {
      const { data } = await api.quotes.quoteCreate({
        source: { sourceType: 'ACCOUNT', accountId: from },
        destination: { destinationType: 'ACCOUNT', accountId: to },
        lockedCurrencySide: LockedCurrencySide.RECEIVING,
        lockedCurrencyAmount: amount,
      })
      return { id: data.id, transactionId: data.transactionId, fixedFee: data.rateDetails?.svcApiFixedFee }
    },
    async execute(quoteId, key, signed) {
      const headers = { 'Idempotency-Key': key, ...buildHeaders(signed) }
      const response = await api.quotes.quoteExecute(quoteId, { headers })
      return readChallenge(response) ?? { status: 200, state: response.data.status }
    },
    async transferOut(from, to, amount) {
      const body = { source: { accountId: from }, destination: { accountId: to }, amount }
      return (await api.transferOut.transferOut(body)).data.id
    },
    async transactionStatus(transactionId) {
      return (await api.transactions.transactionGet(transactionId)).data.status
    },
  }
}

/** The generated methods have no parameters for headers. */
function buildHeaders(signed: SignatureHeaders | undefined): Record<string, string> {
  return signed ? { 'Svc-Wallet-Signature': signed.signature, 'Request-Id': signed.requestId } : {}
}

/** The generator types only one success status per operation, so the 202 is detected here. */
function readChallenge(response: HttpResponse<unknown>): SignedCallResult | undefined {
  if (response.status !== 202) return undefined
  const { payloadToSign, requestId } = response.data as SignedRequestChallenge
  return { status: 202, payloadToSign, requestId }
}
