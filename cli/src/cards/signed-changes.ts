import { CountersignError } from '@countersign/sdk'
import type { Session, Signer, Wallet } from '@countersign/sdk/wallet'
import { printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { printCard, splitIds } from './cards.ts'

/** The code that every sandbox sign-in accepts; the sandbox sends none. */
const SANDBOX_CODE = '000000'

/** `countersign card freeze`, `unfreeze` and `close` */
export async function changeState(
  shell: Shell,
  id: string,
  state: 'ACTIVE' | 'FROZEN' | 'CLOSED',
): Promise<void> {
  const { holder } = await findHolder(shell, id)
  printCard(shell, await shell.countersign.cards.update(id, { state }, { signer: holder }))
}

/** `countersign card sources` */
export async function setFundingSources(shell: Shell, id: string, accounts: string): Promise<void> {
  const { holder } = await findHolder(shell, id)
  const body = { fundingSources: splitIds(accounts) }
  printCard(shell, await shell.countersign.cards.update(id, body, { signer: holder }))
}

/** `countersign card delegate` */
export async function delegateKey(shell: Shell, id: string, nickname: string): Promise<void> {
  const { holder, walletId } = await findHolder(shell, id)
  const body = { cardId: id, internalAccountId: walletId, nickname }
  const key = await shell.countersign.delegatedKeys.create(body, { signer: holder })
  printResult(shell, key, [
    `${key.id} "${key.nickname}" is ${key.status}: the card can be paid from ${walletId}.`,
  ])
}

/** Returns the cardholder as a signer. A session is started only when there is something to sign. */
async function findHolder(
  { countersign }: Shell,
  cardId: string,
): Promise<{ readonly holder: Signer; readonly walletId: string }> {
  const { cardholderId } = await countersign.cards.get(cardId)
  const query = { customerId: cardholderId, type: 'EMBEDDED_WALLET' } as const
  const { body } = await countersign.call('customer_internal_account_list', { query })
  const walletId = body.data[0]?.id
  if (walletId === undefined)
    throw new Failure(
      `${cardholderId} has no embedded wallet to sign with. Customers with an e-mail address get one.`,
    )
  const sign: Signer['sign'] = async (payload) => {
    await refuseOutsideSandbox(countersign, payload.statement.summary)
    return (await signIn(countersign.wallet(walletId))).sign(payload)
  }
  return { holder: { accountId: walletId, sign }, walletId }
}

/** Outside the sandbox, signing in would send the customer a code, and only the customer may sign. */
async function refuseOutsideSandbox(countersign: Shell['countersign'], summary: string): Promise<void> {
  try {
    await countersign.call('sandbox_clock_get')
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'NOT_FOUND') throw error
    throw new Failure(
      `This server is not a sandbox, so only the cardholder's device can sign in your app (call cards.update of the SDK with a session as the signer): ${summary}`,
    )
  }
}

async function signIn(wallet: Wallet): Promise<Session> {
  const credential = (await wallet.credentials()).find(({ type }) => type === 'EMAIL_OTP')
  if (!credential)
    throw new Failure('The wallet has no e-mail credential, and this program can sign in only by e-mail.')
  try {
    return await wallet.email.signIn({ code: SANDBOX_CODE, credentialId: credential.id })
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'RATE_LIMITED') throw error
    const minutes = Math.ceil((error.retryAfterSeconds ?? 60) / 60)
    throw new Failure(
      `The cardholder has signed in too often. Wait ${minutes} minutes, or advance the sandbox clock: POST /sandbox/clock/advance`,
    )
  }
}
