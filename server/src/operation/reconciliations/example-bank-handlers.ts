import { CURRENCIES, isKnownCurrency } from '@countersign/contract/core/currencies'
import type { sandboxExampleBanks } from '@countersign/contract/sandbox/sandbox-example-banks'
import { findPlatformAccount } from '../../kernel/accounts/accounts.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { hasRoomForDeposit, recordDeposit } from '../../money/deposits/deposits.ts'
import { buildExampleDeposits, buildExampleStatement } from './example-bank.ts'
import { recordStatement } from './statements.ts'
import { deriveRailStatementId } from './store.ts'

/**
 * Names of example banks are unique per server. If two collide, a guard fails and the second one chooses
 * another name.
 */
const NAME_BYTES = 5

export const exampleBankHandlers: Handlers<typeof sandboxExampleBanks> = {
  /** The deposits arrive like any others, and the statement is booked and compared in the background. */
  sandbox_example_bank: async (op, { body: { currency } }) => {
    if (!isKnownCurrency(currency))
      throw createFieldError(
        'INVALID_CURRENCY',
        'currency',
        `This server does not support the currency ${currency}.`,
      )
    const account = await findPlatformAccount(op, currency)
    if (!account) throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field: 'currency' } })
    const { decimals } = CURRENCIES[currency]
    const rail = `example-bank-${Buffer.from(op.random(NAME_BYTES)).toString('hex')}`
    const deposits = buildExampleDeposits(rail, decimals)
    const sum = deposits.reduce((total, { amount }) => total + amount, 0n)
    if (!(await hasRoomForDeposit(op, rail, { amount: sum, currency })))
      throw createFieldError(
        'AMOUNT_OUT_OF_RANGE',
        'currency',
        'These deposits would exceed the maximum balance of a platform account.',
      )
    const paid = await Promise.all(
      deposits.map(({ name, amount, sender, text }) => {
        const report = {
          depositId: name,
          depositAccountId: account.id,
          amount: { value: String(amount), currency },
          receivedAt: op.now.toISOString(),
          remittanceInformation: text,
          sender: { name: sender },
        }
        return recordDeposit(op, rail, report, amount, account.id)
      }),
    )
    const statement = buildExampleStatement(rail, { currency, decimals, now: op.now })
    const stated = await recordStatement(op, rail, statement)
    return {
      status: 201,
      body: { rail, currency, reconciliationId: deriveRailStatementId(rail, currency, statement.date) },
      writes: [...paid.flatMap(({ writes }) => writes), ...stated.writes],
    }
  },
}
