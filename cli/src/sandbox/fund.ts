import { findAccountCurrency } from '../connection/account-currency.ts'
import { printResult, type Shell } from '../connection/shell.ts'
import { findCurrency, formatAmount, parseAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'

/** `countersign sandbox fund`. Throws Failure if the account is unknown or the text is not an amount. */
export async function fundAccount(shell: Shell, accountId: string, text: string): Promise<void> {
  const { countersign } = shell
  const code = await findAccountCurrency(shell, accountId)
  const amount = parseAmount(text, findCurrency(code))
  if (amount === undefined || amount === 0n)
    throw new Failure(`The amount must be like 25 or 25.00, in ${code}, not "${text}".`)
  const account = await countersign.sandbox.fund(accountId, { amount })
  const { balance } = account
  printResult(shell, account, [`${accountId} has ${formatAmount(balance.amount, balance.currency)}.`])
}
