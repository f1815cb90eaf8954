import type { Body, Reply } from '../world/servers.ts'
import type { Backend } from './clients.ts'
import { type Account, Model, Wrong } from './model.ts'
import type { Bank, Elsewhere } from './payers.ts'

const CUSTOMERS_MAX = 2
const FUNDS = 80_000
const SUFFIXES = ['002', '003', '004', '005', '006', '007'] as const
export const RECEIVER = 'receiver.example'

/** Customers with accounts here and elsewhere, and maybe an endpoint for webhooks. */
export async function openBank(backend: Backend, hasEndpoint: boolean): Promise<Bank> {
  const model = new Model()
  const accounts: Account[] = []
  const elsewhere: Elsewhere[] = []
  if (hasEndpoint)
    must(await backend.again('PATCH', '/config', { webhookEndpoint: `http://${RECEIVER}/` }), 200)
  const customers = 1 + backend.random.below(CUSTOMERS_MAX)
  for (let n = 0; n < customers; n++) {
    const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: `customer${n}@example.com` }
    const customerId = must(await backend.post('/customers', body), 201).id as string
    const suffix = backend.random.pick(SUFFIXES)
    for (const ending of ['789', suffix]) {
      const id = must(
        await backend.post('/customers/external-accounts', usdAccount(customerId, ending)),
        201,
      ).id
      elsewhere.push({ id, customerId, currency: 'USD', suffix: ending })
    }
    const own = must(await backend.get(`/customers/internal-accounts?customerId=${customerId}`), 200).data
    for (const currency of ['USD', 'EUR']) {
      const found = own.find(
        ({ type, balance }: { type: string; balance: { currency: { code: string } } }) =>
          type === 'INTERNAL_FIAT' && balance.currency.code === currency,
      )
      must(await backend.post(`/sandbox/internal-accounts/${found.id}/fund`, { amount: FUNDS }), 200)
      accounts.push({ id: found.id, customerId, currency, funded: BigInt(FUNDS) })
    }
  }
  for (const account of accounts) model.accounts.set(account.id, account)
  return { backend, model, accounts, elsewhere }
}

function usdAccount(customerId: string, suffix: string) {
  return {
    customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `123456${suffix}`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  }
}

export function must({ status, body }: Pick<Reply, 'status' | 'body'>, wanted: number): Body {
  if (status !== wanted) throw new Wrong(`${wanted} was expected, not ${status} ${JSON.stringify(body)}`)
  return body
}
