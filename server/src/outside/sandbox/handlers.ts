import type { sandbox } from '@countersign/contract/sandbox/sandbox'
import { buildBalanceEvent, findOwnedAccount, toInternalAccountView } from '../../kernel/accounts/accounts.ts'
import { scheduleFileCleanup } from '../../kernel/files/stored-files.ts'
import { checkFitsBalance, findBalances } from '../../kernel/ledger/balances.ts'
import { buildArrivalLegs, post } from '../../kernel/ledger/transfers.ts'
import { listMagicValueFamilies } from '../../kernel/magic-values/magic-value-list.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { createSuccessor } from '../../people/platforms/platforms.ts'
import { fundOnChain } from './faucet.ts'

/** Later than any test needs, and well within the range of valid dates. */
const CLOCK_END = new Date('2999-01-01T00:00:00.000Z')

export const sandboxHandlers: Handlers<typeof sandbox> = {
  /**
   * Funds an account with test money (specification 4.13). The `rail` account changes by the same amount. For
   * an account on a chain, the money is sent there, and credited once the chain has confirmed it.
   */
  sandbox_account_fund: async (op, { params, body }) => {
    const account = await findOwnedAccount(op, params.accountId, 'accountId')
    if (account.owner_deleted_at) throw new ApiError('CUSTOMER_DELETED', { details: { field: 'accountId' } })
    if (account.status !== 'ACTIVE')
      throw createFieldError(
        'INVALID_INPUT',
        'accountId',
        `This account is ${account.status}. Only an ACTIVE account can be funded.`,
      )
    const legs = buildArrivalLegs(account, body.amount)
    await checkFitsBalance(op, legs, 'amount')
    const onChain = await fundOnChain(op, account, body.amount)
    const before = (await findBalances(op, [account.id])).get(account.id) ?? { available: 0n, total: 0n }
    if (onChain) return { status: 200, body: toInternalAccountView(op, account, before), writes: onChain }
    const after = { available: before.available + body.amount, total: before.total + body.amount }
    const view = toInternalAccountView(op, account, after)
    return {
      status: 200,
      body: view,
      writes: [
        ...post(op, { cause: 'sandbox_fund', causeId: account.id }, legs),
        buildBalanceEvent(op, account),
      ],
    }
  },

  sandbox_clock_get: async (op) => ({
    status: 200,
    body: { now: op.now.toISOString() },
  }),

  sandbox_clock_advance: async (op, { body }) => {
    if ((body.seconds === undefined) === (body.to === undefined))
      throw createFieldError('INVALID_INPUT', 'seconds', 'Give either seconds or to.')
    const target =
      body.to === undefined ? new Date(op.now.getTime() + (body.seconds ?? 0) * 1000) : new Date(body.to)
    if (target < op.now)
      throw createFieldError(
        'INVALID_INPUT',
        'to',
        'The time in to is in the past, and the clock never goes back.',
      )
    if (target > CLOCK_END)
      throw createFieldError(
        'INVALID_INPUT',
        body.to === undefined ? 'seconds' : 'to',
        `The clock cannot be set past ${CLOCK_END.toISOString()}.`,
      )
    const now = await op.advanceClock(target)
    return { status: 200, body: { now: now.toISOString() } }
  },

  sandbox_magic_value_list: async (op) => ({
    status: 200,
    body: { data: listMagicValueFamilies(op.sandboxUmaDomain) },
  }),

  /**
   * Resets a platform by replacing it with an empty one. Nothing is deleted, because the ledger is
   * append-only: the old platform's records become unreachable, like the records of any other platform.
   * Requests in progress finish on the old platform.
   */
  sandbox_reset: async (op) => {
    const { row, writes } = await createSuccessor(op)
    return {
      status: 200,
      body: { platformId: row.id, now: row.created_at.toISOString() },
      writes: [
        ...writes,
        ...scheduleFileCleanup(op.platform.id, { ...op, platform: row, now: row.created_at }),
      ],
    }
  },
}
