import { type Backend, expectStatus } from './clients.ts'
import { type Account, Model } from './model.ts'
import type { Bank, ExternalAccount, Rail } from './rail.ts'

const CUSTOMERS_MAX = 2
const FUNDS = 80_000
export const RECEIVER = 'receiver.example'

/** Sets up customers with internal and external accounts, and possibly a webhook endpoint. */
export async function openBank(backend: Backend, rail: Rail, hasEndpoint: boolean): Promise<Bank> {
  const model = new Model()
  const accounts: Account[] = []
  const wallets: Account[] = []
  const externalAccounts: ExternalAccount[] = []
  if (hasEndpoint)
    expectStatus(
      await backend.callRepeatable('PATCH', '/config', { webhookEndpoint: `https://${RECEIVER}/` }),
      200,
    )
  await rail.prepare?.()
  const { currencies, accountType = 'INTERNAL_FIAT' } = rail
  const [currency] = currencies
  // With a single currency, a single customer would have nobody to pay.
  const customers = Math.max(1 + backend.random.integerBelow(CUSTOMERS_MAX), 3 - currencies.length)
  for (let n = 0; n < customers; n++) {
    const email = `customer${n}@example.com`
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email, currencies }
    const customerId = expectStatus(await backend.post('/customers', body), 201).id as string
    const suffix = backend.random.pick(rail.suffixes)
    for (const accountSuffix of ['789', suffix]) {
      const id = expectStatus(
        await backend.post('/customers/external-accounts', {
          ...{ customerId, currency, accountInfo: rail.externalAccountInfo(accountSuffix) },
        }),
        201,
      ).id
      await rail.allowPulls?.(id)
      externalAccounts.push({ id, customerId, currency, suffix: accountSuffix })
    }
    const own = expectStatus(
      await backend.get(`/customers/internal-accounts?customerId=${customerId}`),
      200,
    ).data
    const open = async (accountType: string, currency: string): Promise<Account> => {
      const found = own.find(
        ({ type, balance }: { type: string; balance: { currency: { code: string } } }) =>
          type === accountType && balance.currency.code === currency,
      )
      const account = { id: found.id, customerId, currency, funded: BigInt(FUNDS) }
      await rail.payIn(account, FUNDS)
      return account
    }
    for (const currency of currencies) accounts.push(await open(accountType, currency))
    if (rail.hasWallets) wallets.push(await open('EMBEDDED_WALLET', currency))
  }
  const all = [...accounts, ...wallets]
  for (const account of all) model.accounts.set(account.id, account)
  while (!(await areFunded(backend, all))) {
    await rail.checkDeposits()
    await backend.machine.pause(1_000)
  }
  return { backend, rail, model, accounts, wallets, externalAccounts, hasEndpoint }
}

/** True once every account has received its first deposit. */
async function areFunded(backend: Backend, accounts: readonly Account[]): Promise<boolean> {
  const balances = new Map<string, bigint>()
  for (const customerId of new Set(accounts.map((account) => account.customerId))) {
    const own = expectStatus(
      await backend.get(`/customers/internal-accounts?customerId=${customerId}`),
      200,
    ).data
    for (const { id, balance } of own) balances.set(id, BigInt(balance.amount))
  }
  return accounts.every(({ id, funded }) => balances.get(id) === funded)
}
