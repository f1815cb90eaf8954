import type { EndpointName } from '@countersign/contract/api'
import { type Client, fund } from '../client.testing.ts'
import { registered, withdrawal } from '../records/own-money.testing.ts'
import { usAccount } from '../records/payouts.testing.ts'
import type { Ids } from './bodies.testing.ts'
import type { Call, Scene } from './scene.testing.ts'
import { PREPARED_SCHEDULES } from './schedule-calls.testing.ts'

interface Place {
  readonly client: Client
}

const FUNDED = 10_000

/** A new external account of the platform. */
async function newExternal({ client }: Place) {
  const digits = String(Math.floor(Math.random() * 900_000) + 100_000)
  const body = { currency: 'USD', accountInfo: usAccount(`${digits}789`) }
  const { id } = (await client.post('/platform/external-accounts', body)).body
  return { ExternalAccount: String(id) }
}

/** A new registered account of the operator. */
export async function newOwnAccount({ client }: Place, more: object = {}) {
  const { ExternalAccount } = await newExternal({ client })
  const { id } = await registered(client, ExternalAccount, more)
  return { OwnAccount: String(id) }
}

/** A withdrawal that waits for one approval, with the money for it. */
export async function newWithdrawal({ client }: Place) {
  const { OwnAccount } = await newOwnAccount({ client })
  const [own] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, own.id, FUNDED)
  const body = withdrawal(OwnAccount, 100, { needsApproval: true })
  const { id } = (await client.post('/platform/withdrawals', body)).body
  return { OwnAccount, PlatformWithdrawal: String(id) }
}

const waitingAccount = (place: Place) => newOwnAccount(place, { needsApproval: true })

/** The records that each call needs, with those of schedules. */
export const PREPARED_RECORDS = {
  ...PREPARED_SCHEDULES,
  own_account_create: newExternal,
  own_account_approve: waitingAccount,
  own_account_remove: newOwnAccount,
  platform_withdrawal_approve: newWithdrawal,
  platform_withdrawal_cancel: newWithdrawal,
}

const call = (prepare: (place: Place) => Promise<Ids>) => async (scene: Scene) => ({
  ids: await prepare(scene),
})

/** Calls of the operator's own money for the reference page. */
export const OWN_MONEY_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  own_account_create: async (scene) => {
    const { ExternalAccount } = await newExternal(scene)
    return {
      body: {
        externalAccountId: ExternalAccount,
        reason: 'Our account at the house bank',
        sweep: { source: 'FEES', minimum: 100_000 },
      },
    }
  },
  own_account_approve: call(waitingAccount),
  own_account_remove: call(newOwnAccount),
  platform_withdrawal_create: async (scene) => {
    const { OwnAccount } = await newWithdrawal(scene)
    return { body: withdrawal(OwnAccount, 2500) }
  },
  platform_withdrawal_approve: call(newWithdrawal),
  platform_withdrawal_cancel: call(newWithdrawal),
}
