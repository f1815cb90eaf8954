import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningBank, startBank } from '@countersign/connectors/example-bank/start'
import type { HttpRailValue } from '@countersign/contract/connectors/rails-file'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import type { Client, Reply } from '../client.testing.ts'
import { PERSON } from '../records/verifications.testing.ts'
import { type Options, openServer, type Settings, type TestServer } from '../server.testing.ts'
import { until } from '../until.testing.ts'

export { until }

/** A server in production, with the example bank as its rail: everything over HTTP on this machine. */
export interface Production {
  readonly service: TestServer
  readonly client: Client
  readonly bank: RunningBank
  /** Reads or controls the bank by its control API. */
  callBank(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<ProviderAnswer>
  /** Writes the rails file again, and has the server read it. */
  setRails(rails: readonly object[]): Promise<void>
  /** A customer whom a person has approved, with accounts in these currencies. */
  newApproved(): Promise<string>
  /** The internal account of an owner in a currency, once the bank has opened its deposit account. */
  accountOf(customerId: string | undefined, currency: string): Promise<InternalAccount>
  /** Money of an outside payer arrives on the account. */
  paidIn(account: InternalAccount, amount: string, more?: object): Promise<void>
  close(): Promise<void>
}

type ProviderAnswer = Reply['body']
export type InternalAccount = Reply['body']

export const BANK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const SECRET_NAME = 'EXAMPLE_BANK_SECRET'

/** The rail of the example bank. */
export function exampleBank(url: string, more: Partial<HttpRailValue> = {}): object {
  const lines = (['OUT', 'PULL', 'IN'] as const).flatMap((direction) => [
    { direction, accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] },
    { direction, accountTypes: ['USD_ACCOUNT'], currencies: ['USD'] },
  ])
  return { kind: 'http', name: 'example-bank', url, secret: { env: SECRET_NAME }, serves: lines, ...more }
}

/** `more` changes the entry of the bank in the rails file, `settings` the environment of the server. */
export async function openProduction(
  more: Partial<HttpRailValue> = {},
  settings: Settings = {},
  options: Options = {},
): Promise<Production> {
  process.env[SECRET_NAME] = BANK_SECRET
  const folder = await mkdtemp(join(tmpdir(), 'countersign-production-'))
  const railsFile = join(folder, 'rails.json')
  const rates = await serveRates()
  await writeFile(railsFile, JSON.stringify({ rails: [] }))
  const service = await openServer(
    { COUNTERSIGN_MODE: 'production', RAILS_FILE: railsFile, RATES_URL: rates.url, ...settings },
    options,
  )
  const bank = await startBank({
    port: 0,
    folder: join(folder, 'bank'),
    secrets: BANK_SECRET,
    events: `${service.origin}/rail-events/example-bank`,
    behaviour: { settleDelayMs: 20, returnDelayMs: 100 },
  })
  const client = await service.newPlatform()
  const setRails = async (rails: readonly object[]) => {
    await writeFile(railsFile, JSON.stringify({ rails }))
    await service.reloadRails()
  }
  await setRails([exampleBank(bank.url, more)])
  const production: Production = {
    service,
    client,
    bank,
    setRails,
    callBank: (method, path, body) => ask(bank.url, method, path, body),
    newApproved: () => newApproved(service, client),
    accountOf: (customerId, currency) => accountOf(client, customerId, currency),
    paidIn: (account, amount, said) => paidIn(bank.url, account, amount, said),
    async close() {
      await bank.close()
      await service.close()
      await rates.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return production
}

async function ask(url: string, method: string, path: string, body?: object): Promise<ProviderAnswer> {
  const answer = await fetch(`${url}/bank${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {}),
  })
  const said = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`)
  return said
}

/** Rates of the test's own source. */
export async function serveRates(
  usdPerEth = '3000',
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const rates = { EUR: '1.25', BTC: '60000', USDC: '1', USDB: '1', ETH: usdPerEth }
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ base: 'USD', updatedAt: new Date().toISOString(), rates }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function newApproved(service: Production['service'], client: Client): Promise<string> {
  const id = await newPending(client)
  await approve(service, client, id)
  return id
}

/** A customer without a decision. */
export async function newPending(client: Client): Promise<string> {
  const customer = await client.post('/customers', { ...PERSON, currencies: ['EUR', 'USD'] })
  if (customer.status !== 201) throw new Error(JSON.stringify(customer.body))
  return customer.body.id
}

/** Approves the case as a person does. */
export async function approve(service: Production['service'], client: Client, customerId: string) {
  const started = await client.post('/verifications', { customerId })
  const args = ['verification', 'decide', '--verification', started.body.id, '--decision', 'APPROVE']
  await runCommand(service.app, args, client.baseUrl)
}

/** A German IBAN that ends with these digits. */
export function ibanEndingWith(suffix: string): string {
  const bban = `37040044${'0532013000'.slice(0, 10 - suffix.length)}${suffix}`
  const rest = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - rest).padStart(2, '0')}${bban}`
}

/** An external account in euros at another bank; the last three digits choose the example bank's behavior. */
export async function newEuroAccount(client: Client, customerId: string, suffix = '000'): Promise<string> {
  const { status, body } = await client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban: ibanEndingWith(suffix),
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    },
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}

/** The internal account of an owner in a currency, once the bank has opened its deposit account. */
export async function accountOf(
  client: Client,
  customerId: string | undefined,
  currency: string,
): Promise<InternalAccount> {
  const path = customerId
    ? `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`
    : `/platform/internal-accounts?currency=${currency}`
  const found = await until(
    () => client.get(path),
    ({ body }) => body.data?.[0]?.fundingPaymentInstructions?.length > 0,
  )
  return found.body.data[0]
}

/** The number of a deposit account, in the form of the bank's control API. */
export function numberOf({ fundingPaymentInstructions }: InternalAccount): string {
  return numberIn(fundingPaymentInstructions[0].accountOrWalletInfo)
}

/** The number in deposit details. */
export function numberIn({ iban, accountNumber }: Reply['body']): string {
  return iban ?? accountNumber
}

async function paidIn(
  url: string,
  account: InternalAccount,
  amount: string,
  more: object = {},
): Promise<void> {
  await ask(url, 'POST', '/deposits', { account: numberOf(account), amount, ...more })
}
