import type { sandboxTreasury } from '@countersign/contract/sandbox/sandbox-treasury'
import { createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { findColdStorage } from '../../operation/own-money/cold-storage.ts'
import { findOwnAccount } from '../../operation/own-money/own-accounts.ts'
import { recordReturn } from '../../operation/treasury/movements.ts'
import { checkColdStorage, toTreasuryMovementView } from '../../operation/treasury/requests.ts'
import { generateTransactionHash } from './transaction-hash.ts'

export const sandboxTreasuryHandlers: Handlers<typeof sandboxTreasury> = {
  sandbox_treasury_return: async (op, { body: { ownAccountId, amount } }) => {
    const account = await findOwnAccount(op, ownAccountId)
    const { chain, railName: rail, network, address } = await findColdStorage(op, account, 'ownAccountId')
    if (chain)
      throw createFieldError(
        'INVALID_INPUT',
        'ownAccountId',
        'This account is on a chain. Send the money to its address instead.',
      )
    const { currency } = account
    const platform = await checkColdStorage(op, rail, currency, amount)
    const id = op.newId('TreasuryMovement')
    const transactionHash = generateTransactionHash(`${network}_WALLET`, id)
    const { row, writes } = recordReturn(op, {
      id,
      account,
      rail,
      network,
      address,
      currency,
      amount,
      transactionHash,
    })
    return { status: 201, body: toTreasuryMovementView(row), writes: [platform, ...writes] }
  },
}
