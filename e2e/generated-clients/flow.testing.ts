import { DeviceKey, signedCall } from '@countersign/sdk/wallet'
import type { Answer, Calls, Signed } from './clients/calls.ts'

const FUNDED_USDB = 100_000_000
const FUNDED_CENTS = 10_000
const CENTS = 2_500

export interface Outcome {
  readonly session: string
  readonly execution: string
  readonly payment: string
  readonly transfer: string
  readonly fixedFee: number | undefined
}

/** A customer signs in and pays from its wallet; its account in USD pays too. The device has the key, the backend the rest. */
export async function pay(calls: Calls, quorumPublicKey: string): Promise<Outcome> {
  const customerId = await calls.createCustomer('ada@example.com')
  const accounts = await calls.accounts(customerId)
  const wallet = accounts.find(({ type }) => type === 'EMBEDDED_WALLET')!.id
  const dollars = accounts.find(({ type, currency }) => type === 'INTERNAL_FIAT' && currency === 'USD')!.id
  await calls.fund(wallet, FUNDED_USDB)
  await calls.fund(dollars, FUNDED_CENTS)
  const bank = await calls.addBankAccount(customerId)

  const device = await DeviceKey.generate()
  const credential = await calls.findCredential(wallet)
  const bundle = await calls.challenge(credential)
  const sealed = await device.sealCode('000000', bundle, { quorumPublicKey, accountId: wallet })
  const session = await signedTwice(
    (signed) => calls.verify(credential, sealed, signed),
    (payload) => device.approveSignIn(payload, { accountId: wallet, quorumPublicKey, type: 'EMAIL_OTP' }),
  )

  const { id, transactionId, fixedFee } = await calls.quote(wallet, bank, CENTS)
  const call = signedCall('quote_execute', { params: { quoteId: id } })
  const execution = await signedTwice(
    (signed) => calls.execute(id, `pay-${id}`, signed),
    (payload) => device.approve(payload, { ...call, account: wallet }, () => true),
  )
  const payment = await settled(calls, transactionId)
  const transfer = await settled(calls, await calls.transferOut(dollars, bank, CENTS))
  return { session, execution, payment, transfer, fixedFee }
}

/** A signed operation: the call, the stamp over what it asks for, and the same call again. */
async function signedTwice(
  call: (signed?: Signed) => Promise<Answer>,
  approve: (payload: string) => Promise<string>,
): Promise<string> {
  const first = await call()
  if (first.status !== 202) throw new Error('The first call asked for no signature')
  const { payloadToSign, requestId } = first
  const second = await call({ signature: await approve(payloadToSign), requestId })
  if (second.status !== 200) throw new Error('The second call asked for a signature again')
  return second.state
}

const READS_MAX = 2_000

async function settled(calls: Calls, transactionId: string): Promise<string> {
  for (let reads = 0; reads < READS_MAX; reads++) {
    const status = await calls.transactionStatus(transactionId)
    if (status !== 'PROCESSING' && status !== 'PENDING') return status
  }
  throw new Error(`${transactionId} does not end`)
}
