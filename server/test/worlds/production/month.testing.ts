import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'vitest'
import { main } from '../../../../cli/src/program.ts'
import type { Io } from '../../../../cli/src/terminal/io.ts'
import { blocksOf, buildPattern, type Command, listCommands } from '../../../../sdk/test/guide.testing.ts'
import { toJson } from '../../../src/base/json/json.ts'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { RailRegistry } from '../../../src/money/rails/registry.ts'
import { type Reply, until } from '../client.testing.ts'
import { newEuroAccount } from '../records/external-accounts.testing.ts'
import { ACH_FORMAT, findDepositReference, newBankFolder, SEPA_IBAN } from './file-bank.testing.ts'
import { CamtBank, Days, UsBank } from './month-banks.testing.ts'
import {
  approve,
  type InternalAccount,
  ModelBank,
  newPending,
  openProduction,
  type Production,
} from './production.testing.ts'

const BATCH_IBAN = 'DE02120300000000202051'
const LOCKBOX = '55500001'
/** Payments above this amount, in cents, are sent as wires. */
const EURO_MAX = 50_000

export const BANK_NAMES = ['euro-bank', 'batch-bank', 'dollar-bank', 'lockbox-bank', 'wire-bank'] as const
export type BankName = (typeof BANK_NAMES)[number]

/** A platform in production with five banks, and a customer who pays and is paid through them. */
export class Month {
  readonly world: Production
  readonly euro: CamtBank
  readonly batch: CamtBank
  readonly dollar: UsBank
  readonly lockbox: UsBank
  readonly wire: ModelBank
  readonly wireDays = new Days()
  readonly customer: Customer
  /** Another customer with a euro account. */
  readonly other: Customer
  readonly #remove: () => Promise<void>
  #deposits = 0

  private constructor(world: Production, banks: Banks, customers: readonly [Customer, Customer]) {
    this.world = world
    this.euro = banks.euro
    this.batch = banks.batch
    this.dollar = banks.dollar
    this.lockbox = banks.lockbox
    this.wire = banks.wire
    this.#remove = banks.remove
    this.customer = customers[0]
    this.other = customers[1]
  }

  static async open(): Promise<Month> {
    const world = await openProduction()
    const banks = await openBanks(world)
    const month = new Month(world, banks, [await newCustomer(world), await newCustomer(world)])
    await month.euro.states([month.credit('5000.00', month.customer.eurReference)])
    await month.dollar.states([
      { code: '165', amount: 300_000n, texts: [`FOR ${month.customer.usdReference}`] },
    ])
    await until(
      async () => [await month.balanceOf('EUR'), await month.balanceOf('USD')],
      (balances) => balances.every((balance) => balance > 0n),
    )
    return month
  }

  async close(): Promise<void> {
    await this.world.close()
    await this.#remove()
  }

  /** Builds the statement entry of an incoming payment at a European bank. */
  credit(amount: string, text = 'Invoice 4711') {
    const servicerReference = `IN-${++this.#deposits}`
    const transactions = [{ amount, debtor: 'Ada Lovelace', text }]
    return { amount, direction: 'CRDT', servicerReference, transactions } as const
  }

  async balanceOf(currency: string): Promise<bigint> {
    const path = `/customers/internal-accounts?customerId=${this.customer.id}&currency=${currency}`
    return BigInt((await this.world.client.get(path)).body.data[0].balance.amount)
  }

  /** Makes a payment from the customer. The amount is in the smallest unit. */
  async pays(amount: number, currency: 'EUR' | 'USD' = 'EUR', more: object = {}): Promise<string> {
    const { eur, usd, eurPayee, usdPayee } = this.customer
    const [source, payee] = currency === 'EUR' ? [eur, eurPayee] : [usd, usdPayee]
    const destination = { accountId: payee, ...more }
    const body = { source: { accountId: source.id }, destination, amount }
    const sent = await this.world.client.post('/transfer-out', body)
    expect(sent.status, toJson(sent.body)).toBe(201)
    return sent.body.id
  }

  async ends(id: string, status: string): Promise<void> {
    await until(
      async () => (await this.world.client.get(`/transactions/${id}`)).body.status,
      (found) => found === status,
    )
  }

  /** Makes a payment through the connector, which accepts it without reporting its outcome. */
  async wires(amount: number): Promise<string> {
    const id = await this.pays(amount)
    await until(
      async () => this.wire.given.has(id),
      (isGiven) => isGiven,
    )
    return id
  }

  /** Makes the connector send its next statement. */
  async statesWires(): Promise<void> {
    await this.wire.tell(this.wire.event('statement', this.wire.close(this.wireDays.last)))
  }

  dateOf(bank: BankName): string {
    if (bank === 'wire-bank') return this.wireDays.last
    return this.fileBank(bank).date
  }

  fileBank(bank: Exclude<BankName, 'wire-bank'>): CamtBank | UsBank {
    if (bank === 'euro-bank') return this.euro
    if (bank === 'batch-bank') return this.batch
    return bank === 'dollar-bank' ? this.dollar : this.lockbox
  }

  /** Reconciles a bank's last day, as the operator does every morning, and returns its differences. */
  async differences(bank: BankName): Promise<Reply['body'][]> {
    const date = this.dateOf(bank)
    await runCommand(this.world.service.app, ['reconciliation', 'run', '--rail', bank, '--date', date], '')
    const { client } = this.world
    const { data } = (await client.get(`/reconciliations?rail=${bank}&startDate=${date}&endDate=${date}`))
      .body
    expect(data).toHaveLength(1)
    return (await client.get(`/reconciliations/${data[0].id}`)).body.differences
  }

  /**
   * Describes the payments, deposits and lines in the differences of a bank's last day, ordered by amount.
   */
  async about(bank: BankName): Promise<string[]> {
    const found = await this.differences(bank)
    return found.toSorted((a, b) => a.amount - b.amount).map(({ about }) => about)
  }

  /** Lists a bank's reports that wait for a person. */
  async reports(bank: BankName): Promise<Reply['body'][]> {
    return (await this.world.client.get(`/rail-events?rail=${bank}&status=WAITING&limit=100`)).body.data
  }

  /** Finds a bank's waiting report about a payment. */
  async reportOf(bank: BankName, id: string): Promise<Reply['body']> {
    const found = (await this.reports(bank)).find(({ body }) => body.data?.id === id)
    expect(found, `a report about ${id}`).toBeDefined()
    return found
  }

  /** Lists a bank's deposits in suspense. */
  async suspense(bank: BankName): Promise<Reply['body'][]> {
    return (await this.world.client.get(`/deposits?rail=${bank}&status=SUSPENSE&limit=100`)).body.data
  }
}

interface Customer {
  readonly id: string
  readonly eur: InternalAccount
  readonly usd: InternalAccount
  readonly eurReference: string
  readonly usdReference: string
  readonly eurPayee: string
  readonly usdPayee: string
}

interface Banks {
  readonly euro: CamtBank
  readonly batch: CamtBank
  readonly dollar: UsBank
  readonly lockbox: UsBank
  readonly wire: ModelBank
  readonly remove: () => Promise<void>
}

/**
 * Opens two European and two US file banks, and a connector. The second bank of each pair does only one thing.
 */
async function openBanks(world: Production): Promise<Banks> {
  const line = (direction: string, accountType: string, currency: string, more: object = {}) => ({
    ...{ direction, accountTypes: [accountType], currencies: [currency] },
    ...more,
  })
  const euro = await newBankFolder(world, 'SEPA', {
    name: 'euro-bank',
    serves: [line('OUT', 'EUR_ACCOUNT', 'EUR', { paymentRails: ['SEPA'] }), line('IN', 'EUR_ACCOUNT', 'EUR')],
    limits: [{ currency: 'EUR', max: EURO_MAX }],
  })
  const batch = await newBankFolder(world, 'SEPA', {
    name: 'batch-bank',
    serves: [line('OUT', 'EUR_ACCOUNT', 'EUR', { paymentRails: ['SEPA_INSTANT'] })],
    limits: [{ currency: 'EUR', max: EURO_MAX }],
    format: { type: 'SEPA', name: 'Acme GmbH', iban: BATCH_IBAN, bic: 'BYLADEM1001' },
  })
  const dollar = await newBankFolder(world, 'ACH', {
    name: 'dollar-bank',
    serves: [line('OUT', 'USD_ACCOUNT', 'USD'), line('IN', 'USD_ACCOUNT', 'USD')],
    depositsFrom: 'STATEMENTS',
  })
  const lockbox = await newBankFolder(world, 'ACH', {
    name: 'lockbox-bank',
    serves: [line('IN', 'USD_ACCOUNT', 'USD')],
    format: { ...ACH_FORMAT, accountNumber: LOCKBOX },
  })
  const folders = [euro, batch, dollar, lockbox]
  await world.setRails(folders.map(({ rail }) => rail))
  const { rails } = world.service.app
  if (!(rails instanceof RailRegistry)) throw new Error('The rails of production are a registry')
  const fileRails = rails.list()
  const wire = new ModelBank(world, 0n, 'wire-bank')
  rails.replace([...fileRails, wire.rail()])
  return {
    euro: new CamtBank(euro, SEPA_IBAN),
    batch: new CamtBank(batch, BATCH_IBAN),
    dollar: new UsBank(dollar, ACH_FORMAT.accountNumber),
    lockbox: new UsBank(lockbox, LOCKBOX),
    wire,
    remove: async () => {
      for (const { remove } of folders) await remove()
    },
  }
}

async function newCustomer(world: Production): Promise<Customer> {
  const { client, service } = world
  const id = await newPending(client)
  await approve(service, client, id)
  const eur = await world.accountOf(id, 'EUR')
  const usd = await world.accountOf(id, 'USD')
  const usdPayee = await client.post('/customers/external-accounts', {
    customerId: id,
    currency: 'USD',
    accountInfo: {
      ...{ accountType: 'USD_ACCOUNT', accountNumber: '1234567890', routingNumber: '011401533' },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
    },
  })
  expect(usdPayee.status, toJson(usdPayee.body)).toBe(201)
  return {
    ...{ id, eur, usd, usdPayee: usdPayee.body.id },
    eurReference: findDepositReference(eur),
    usdReference: findDepositReference(usd),
    eurPayee: await newEuroAccount(client, id, '000'),
  }
}

export { blocksOf }

const ID = /\b[A-Z][A-Za-z]+:[0-9a-f-]{36}\b/g

/** Lists the commands under each heading of a guide. */
export function commandsByHeading(guide: string): Map<string, Command[]> {
  const sections = guide.split(/^#{2,3} /m).slice(1)
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf('\n')),
      blocksOf(section).flatMap(({ language, code }) =>
        language === 'console' ? listCommands(language, joinLines(code)) : [],
      ),
    ]),
  )
}

/** Joins lines continued with a backslash. */
function joinLines(code: string): string {
  return code.replaceAll(/\\\n\s*/g, '')
}

/** A person who follows a guide, with a platform's credentials and the operator's rights. */
export class GuidedOperator {
  readonly #world: Production
  readonly #folder: string

  private constructor(world: Production, folder: string) {
    this.#world = world
    this.#folder = folder
  }

  static async open(world: Production): Promise<GuidedOperator> {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-month-'))
    const { credentials, baseUrl } = world.client
    await writeFile(join(folder, 'credentials.json'), toJson({ ...credentials, baseUrl }))
    return new GuidedOperator(world, folder)
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }

  /**
   * Runs a guide's commands in order, and compares their prompts and output with the guide, ignoring column
   * widths. Each `…` in an id stands for the next id of its kind: first those in `ids`, then those that the
   * commands have printed.
   */
  async follows(
    commands: readonly Command[],
    { ids, date }: { readonly ids: readonly string[]; readonly date: string },
  ): Promise<void> {
    const known = new Set(ids)
    const unusedIds = [...ids]
    for (const { text, shown = '' } of commands) {
      const args = splitArguments(text.replaceAll(/\d{4}-\d\d-\d\d/g, date)).map((word) =>
        fillIds(word, unusedIds),
      )
      const result = await this.#confirm(args)
      // A day with differences exits with 1.
      expect([result.exitCode, result.stderr], args.join(' ')).toEqual([
        shown.includes(' DIFFERENT ') ? 1 : 0,
        '',
      ])
      const stdout = stripVTControlCharacters(result.stdout)
      expect(stdout.replaceAll(/ {2,}/g, '  '), args.join(' ')).toMatch(
        buildPattern(shown.replaceAll(/ {2,}/g, '  ')),
      )
      for (const [id] of result.stdout.matchAll(ID)) if (known.size < known.add(id).size) unusedIds.push(id)
    }
    expect(unusedIds.filter((id) => ids.includes(id))).toEqual([])
  }

  /** Runs a command. If it prompts for confirmation, reads the question and answers yes. */
  async #confirm(args: readonly string[]): Promise<CommandResult> {
    const result = await this.#run(args)
    const [, question] = /confirm it with --yes: (.*)\n/.exec(result.stderr) ?? []
    if (question === undefined) return result
    expect(result.exitCode).toBe(1)
    const done = await this.#run([...args, '--yes'])
    return { ...done, stdout: `${question}\n${done.stdout}` }
  }

  async #run(args: readonly string[]): Promise<CommandResult> {
    let stdout = ''
    let stderr = ''
    const { app } = this.#world.service
    const serverProgram: Io['serverProgram'] = async (command) => ({
      ...{ exitCode: 0, errors: '' },
      output: `${JSON.stringify(await runCommand(app, command, ''))}\n`,
    })
    const exitCode = await main(args, {
      stdin: {},
      env: { NO_COLOR: '1', COUNTERSIGN_DATA_DIR: this.#folder, XDG_CONFIG_HOME: this.#folder },
      serverProgram,
      // Tables are shown only on a terminal. Without a terminal for input, a question is refused.
      stdout: { isTTY: true, write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
    })
    return { exitCode, stdout, stderr }
  }
}

interface CommandResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Splits a command line into arguments: words, and strings in single quotes. */
function splitArguments(line: string): string[] {
  const [program, name, ...args] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  )
  expect([program, name]).toEqual(['npx', 'countersign'])
  return args
}

/** Replaces `Deposit:…` in a word with an id taken from `unusedIds`. */
function fillIds(word: string, unusedIds: string[]): string {
  return word.replaceAll(/([A-Z][A-Za-z]+):…/g, (_, kind: string) => {
    const at = unusedIds.findIndex((id) => id.startsWith(`${kind}:`))
    expect(at, `an id for ${kind}:… in ${word}`).toBeGreaterThanOrEqual(0)
    return unusedIds.splice(at, 1)[0] ?? ''
  })
}
