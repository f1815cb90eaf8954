import type { EndpointName } from '@countersign/contract/api'
import {
  newExternal,
  newOwnAccount,
  newWithdrawal,
  type Place,
  withdrawal,
} from '../records/own-money.testing.ts'
import {
  movement,
  newFullVault,
  newMovement,
  newVault,
  newWaitingKey,
  withoutWaitingKey,
} from '../records/treasury.testing.ts'
import type { Ids } from './bodies.testing.ts'
import type { Call, Scene } from './scene.testing.ts'
import { PREPARED_SCHEDULES } from './schedule-calls.testing.ts'

const waitingAccount = (place: Place) => newOwnAccount(place, { needsApproval: true })

/** The records that each call needs, schedules included. */
export const PREPARED_RECORDS = {
  ...PREPARED_SCHEDULES,
  own_account_create: newExternal,
  own_account_approve: waitingAccount,
  own_account_remove: newOwnAccount,
  platform_withdrawal_approve: newWithdrawal,
  platform_withdrawal_cancel: newWithdrawal,
  treasury_movement_create: newVault,
  treasury_movement_approve: newMovement,
  treasury_movement_cancel: newMovement,
  treasury_key_approve: newWaitingKey,
  treasury_key_cancel: newWaitingKey,
  treasury_key_create: withoutWaitingKey,
  sandbox_treasury_return: newFullVault,
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
  treasury_movement_create: async (scene) => {
    const { OwnAccount } = await newVault(scene)
    return { body: movement(OwnAccount, 2500) }
  },
  treasury_movement_approve: call(newMovement),
  treasury_movement_cancel: call(newMovement),
  treasury_key_create: call(withoutWaitingKey),
  treasury_key_approve: call(newWaitingKey),
  treasury_key_cancel: call(newWaitingKey),
  sandbox_treasury_return: async (scene) => {
    const { OwnAccount } = await newFullVault(scene)
    return { body: { ownAccountId: OwnAccount, amount: 500 } }
  },
}
