import { BANK, basic, type Connect, type Payments, type Records, type SignIn } from './calls.js'
import * as api from './generated/oazapfts.js'

interface Options {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
}

export const connect: Connect = (connection) => {
  const options = { baseUrl: connection.baseUrl, headers: { Authorization: basic(connection) } }
  return { ...records(options), ...signIn(options), ...payments(options) }
}

function records(options: Options): Records {
  return {
    async createCustomer(email) {
      const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email } as const
      return of(await api.customerCreate(body, {}, options), 201).id
    },
    async accounts(customerId) {
      const { data } = of(await api.customerInternalAccountList({ customerId }, options), 200)
      return data.map(({ id, type, balance }) => ({ id, type, currency: balance.currency.code }))
    },
    async fund(accountId, amount) {
      of(await api.sandboxAccountFund(accountId, { amount }, {}, options), 200)
    },
    async addBankAccount(customerId) {
      return of(await api.customerExternalAccountCreate({ customerId, ...BANK }, {}, options), 201).id
    },
  }
}

function signIn(options: Options): SignIn {
  return {
    async findCredential(accountId) {
      const [first] = of(await api.credentialList(accountId, options), 200).data
      if (!first) throw new Error(accountId)
      return first.id
    },
    async challenge(id) {
      const body = of(await api.credentialChallenge(id, undefined, {}, options), 200)
      if (!('otpEncryptionTargetBundle' in body) || body.otpEncryptionTargetBundle === undefined)
        throw new Error(JSON.stringify(body))
      return body.otpEncryptionTargetBundle
    },
    async verify(id, encryptedOtpBundle, signed) {
      const answer = await api.credentialVerify(
        id,
        { type: 'EMAIL_OTP', encryptedOtpBundle },
        named(signed),
        options,
      )
      return answer.status === 202
        ? { status: 202, payloadToSign: answer.data.payloadToSign, requestId: answer.data.requestId }
        : { status: 200, state: of(answer, 200).type }
    },
  }
}

function payments(options: Options): Payments {
  return {
    async quote(from, to, amount) {
      const body = {
        source: { sourceType: 'ACCOUNT', accountId: from },
        destination: { destinationType: 'ACCOUNT', accountId: to },
        lockedCurrencySide: 'RECEIVING',
        lockedCurrencyAmount: amount,
      } as const
      const { id, transactionId, rateDetails } = of(await api.quoteCreate(body, {}, options), 201)
      return { id, transactionId, fixedFee: rateDetails?.svcApiFixedFee }
    },
    async execute(quoteId, idempotencyKey, signed) {
      const answer = await api.quoteExecute(quoteId, { idempotencyKey, ...named(signed) }, options)
      return answer.status === 202
        ? { status: 202, payloadToSign: answer.data.payloadToSign, requestId: answer.data.requestId }
        : { status: 200, state: of(answer, 200).status }
    },
    async transferOut(from, to, amount) {
      const body = { source: { accountId: from }, destination: { accountId: to }, amount }
      return of(await api.transferOut(body, {}, options), 201).id
    },
    async transactionStatus(transactionId) {
      return of(await api.transactionGet(transactionId, options), 200).status
    },
  }
}

function named(signed: { signature: string; requestId: string } | undefined) {
  return signed ? { svcWalletSignature: signed.signature, requestId: signed.requestId } : {}
}

/** Returns the body of a response if it has this status. */
function of<A extends { status: number; data?: unknown }, S extends A['status']>(
  answer: A,
  status: S,
): Extract<A, { status: S }>['data'] {
  if (answer.status !== status) throw new Error(JSON.stringify(answer))
  return (answer as Extract<A, { status: S }>).data
}
