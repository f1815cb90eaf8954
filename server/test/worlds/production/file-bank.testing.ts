import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAllRails } from '../../../src/outside/bank-files/bank-file-worker.ts'
import { type Reply, until } from '../client.testing.ts'
import { type InternalAccount, openProduction, type Production } from './production.testing.ts'

/** A bank that reads files from a folder and writes its own files in response. */
export interface BankFolder {
  /** Its entry in the rails file. */
  readonly rail: object
  /** Reads the files, by name, that the server has written and the bank has not taken yet, except partial ones. */
  outbox(): Promise<Record<string, string>>
  /** Waits for the server's next file and removes it, as the bank would. */
  takeFile(): Promise<{ readonly name: string; readonly text: string }>
  /**
   * Puts a complete file into the inbox, and waits until the server has booked its content and moved it away.
   * Resolves with the folder where it is now.
   */
  put(name: string, text: string | Uint8Array): Promise<'done' | 'refused'>
  /** Puts a file into the inbox without waiting. The server may leave it there. */
  drop(name: string, text: string | Uint8Array): Promise<void>
  /** Makes the server check the inbox once. Resolves with the names of the files that remain. */
  look(): Promise<readonly string[]>
  remove(): Promise<void>
}

/** A file bank with its server. */
export interface FileBank extends Omit<BankFolder, 'rail' | 'remove'> {
  readonly world: Production
  customer(): Promise<{ readonly customerId: string; readonly account: InternalAccount }>
  /** Creates a customer, and reads the reference that a payer to the account has to state. */
  newPayer(): Promise<{
    readonly customerId: string
    readonly account: InternalAccount
    readonly reference: string
  }>
  /** Finds the reconciliation of a day. */
  findReconciliation(date: string): Promise<Reply['body']>
  balanceOf(customerId: string): Promise<bigint>
  waitForBalance(customerId: string, amount: bigint): Promise<bigint>
  close(): Promise<void>
}

export const SEPA_IBAN = 'DE89370400440532013000'

export const ACH_FORMAT = {
  type: 'ACH',
  destination: '021000021',
  destinationName: 'BANK',
  origin: '1123456789',
  originName: 'ACME',
  companyName: 'ACME',
  companyId: '1123456789',
  originatingBank: '02100002',
  description: 'PAYOUT',
  accountNumber: '987654321',
  routingNumber: '021000021',
} as const

export const WIRE_FORMAT = {
  ...{ type: 'WIRE', name: 'Acme Inc', accountNumber: '987654321', routingNumber: '021000021' },
  address: { street: 'Wall Street', city: 'New York', region: 'NY', country: 'US' },
} as const

const BACS_FORMAT = {
  ...{ type: 'BACS', name: 'Acme Ltd', sortCode: '601613', accountNumber: '12345678' },
  serviceUserNumber: '123456',
  debits: {},
} as const

export const FASTER_PAYMENTS_FORMAT = {
  ...{ type: 'FASTER_PAYMENTS', name: 'Acme Ltd', sortCode: '601613', accountNumber: '31926819' },
  ...{ iban: 'GB29NWBK60161331926819', bic: 'NWBKGB2L' },
} as const

const BANKS = {
  FASTER_PAYMENTS: {
    format: FASTER_PAYMENTS_FORMAT,
    accountType: 'GBP_ACCOUNT',
    currency: 'GBP',
    directions: ['OUT', 'IN'],
  },
  BACS: {
    format: BACS_FORMAT,
    accountType: 'GBP_ACCOUNT',
    currency: 'GBP',
    directions: ['OUT', 'PULL', 'IN'],
  },
  WIRE: {
    format: WIRE_FORMAT,
    accountType: 'USD_ACCOUNT',
    currency: 'USD',
    directions: ['OUT', 'IN'],
  },
  SEPA: {
    format: { type: 'SEPA', name: 'Acme GmbH', iban: SEPA_IBAN, bic: 'COBADEFFXXX' },
    accountType: 'EUR_ACCOUNT',
    currency: 'EUR',
    directions: ['OUT', 'IN'],
  },
  SEPA_DEBIT: {
    format: {
      ...{ type: 'SEPA', name: 'Acme GmbH', iban: SEPA_IBAN, bic: 'COBADEFFXXX' },
      debits: { creditorId: 'DE98ZZZ09999999999' },
    },
    accountType: 'EUR_ACCOUNT',
    currency: 'EUR',
    directions: ['OUT', 'PULL', 'IN'],
  },
  ACH: {
    format: ACH_FORMAT,
    accountType: 'USD_ACCOUNT',
    currency: 'USD',
    directions: ['OUT', 'PULL', 'IN'],
  },
} as const

const UNBOOKED = `
  SELECT 1 FROM rail_statements AS s JOIN rail_statement_entries AS e ON e.statement_id = s.id
  WHERE s.state = 'BOOKING' AND e.place > s.booked_count AND e.item_id IS NOT NULL`

/** Starts a production server whose only rail is a file bank. */
export async function openFileBank(
  kind: keyof typeof BANKS,
  more: object = {},
  settings: Record<string, string> = {},
): Promise<FileBank> {
  const world = await openProduction({}, settings)
  const { rail, remove, ...folder } = await newBankFolder(world, kind, more)
  await world.setRails([rail])
  const { currency } = BANKS[kind]
  const customer = async () => {
    const customerId = await world.newApproved([currency])
    return { customerId, account: await world.accountOf(customerId, currency) }
  }
  const balanceOf = async (customerId: string) => {
    const { body } = await world.client.get(
      `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
    )
    return BigInt(body.data[0].balance.amount)
  }
  return {
    ...folder,
    world,
    customer,
    async newPayer() {
      const { customerId, account } = await customer()
      return { customerId, account, reference: findDepositReference(account) }
    },
    findReconciliation: async (date) =>
      (await world.client.get(`/reconciliations?startDate=${date}&endDate=${date}`)).body.data[0],
    balanceOf,
    waitForBalance: (customerId, amount) =>
      until(
        () => balanceOf(customerId),
        (balance) => balance === amount,
      ),
    async close() {
      await world.close()
      await remove()
    },
  }
}

/** Lets the platform of a world hold pounds. */
export async function holdPounds({ client }: Production): Promise<void> {
  const [first] = (await client.get('/config')).body.supportedCurrencies
  const { status } = await client.send('PATCH', '/config', {
    supportedCurrencies: [{ ...first, currencyCode: 'GBP' }],
  })
  if (status !== 200) throw new Error(`PATCH /config: ${status}`)
}

/** Creates the folders of a bank. It becomes a rail of the server once its entry is in the rails file. */
export async function newBankFolder(
  { service }: Production,
  kind: keyof typeof BANKS,
  more: object = {},
): Promise<BankFolder> {
  const root = await mkdtemp(join(tmpdir(), 'file-bank-'))
  const { format, accountType, currency, directions } = BANKS[kind]
  const serves = directions.map((direction) => ({
    direction,
    accountTypes: [accountType],
    currencies: [currency],
  }))
  const place = { type: 'folder', path: root, outbox: 'out', inbox: 'in', done: 'done', refused: 'refused' }
  for (const folder of ['out', 'in', 'done', 'refused']) await mkdir(join(root, folder))
  const { db, workers } = service.app
  const makeDue = async (column: 'collected_at' | 'looked_at') => {
    const { rows } = await db.query(
      `UPDATE bank_file_workers SET ${column} = 'epoch' WHERE ${column} <> 'epoch' RETURNING id`,
    )
    if (rows.length > 0) workers.wake()
  }
  /** Waits until no file is being collected, so that a test's next payments go into the same file. */
  const waitUntilCollected = () =>
    until(
      async () => (await db.query(`SELECT 1 FROM bank_file_workers WHERE collected_at = 'epoch'`)).rows,
      (rows) => rows.length === 0,
    )
  const outbox = async () => {
    const names = (await readdir(join(root, 'out'))).filter((name) => !name.startsWith('.')).sort()
    return Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, await readFile(join(root, 'out', name), 'utf8')] as const),
      ),
    )
  }
  const drop = async (name: string, text: string | Uint8Array) => {
    await writeFile(join(root, 'in', `.${name}.part`), text)
    await rename(join(root, 'in', `.${name}.part`), join(root, 'in', name))
  }
  return {
    drop,
    async look() {
      await makeDue('looked_at')
      await until(
        async () => (await db.query(`SELECT 1 FROM bank_file_workers WHERE looked_at = 'epoch'`)).rows,
        (rows) => rows.length === 0,
      )
      return (await readdir(join(root, 'in'))).sort()
    },
    rail: { kind: 'bank-files', name: 'file-bank', serves, format, place, ...more },
    outbox,
    async takeFile() {
      const files = await until(
        async () => {
          await makeDue('collected_at')
          return outbox()
        },
        (names) => Object.keys(names).length > 0,
      )
      await waitUntilCollected()
      const [name, text] = Object.entries(files)[0]!
      await rename(join(root, 'out', name), join(root, `taken-${name}`))
      return { name, text }
    },
    async put(name, text) {
      await drop(name, text)
      await until(
        async () => {
          await makeDue('looked_at')
          return readdir(join(root, 'in'))
        },
        (names) => !names.includes(name),
      )
      await until(
        async () => (await db.query(UNBOOKED)).rows,
        (rows) => rows.length === 0,
      )
      const refused = await readdir(join(root, 'refused'))
      return refused.includes(name) ? 'refused' : 'done'
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** Finds the reference that a payer to the account has to state. */
export function findDepositReference({ fundingPaymentInstructions }: InternalAccount): string {
  return /CS[0-9A-F]{10}/.exec(JSON.stringify(fundingPaymentInstructions))![0]
}

const COMMITS_MAX = 12

/** Waits until this number of payments is waiting for a file. */
export async function waitUntilQueued({ service: { app } }: Production, count: number): Promise<void> {
  await until(
    async () => (await app.db.query('SELECT 1 FROM bank_payments WHERE file_id IS NULL')).rows,
    (rows) => rows.length === count,
  )
}

const PAUSED_MS = 3_600_000

/** Waits until the server's own worker has finished, then keeps it away from the rail for an hour. */
export async function pauseWorkers({ service: { app } }: Production): Promise<void> {
  await until(
    async () => {
      const sql = 'UPDATE bank_file_workers SET claimed_until = $1 WHERE claimed_until <= $2 RETURNING id'
      return (await app.db.query(sql, [readPauseEnd(app), app.clock()])).rows
    },
    (rows) => rows.length > 0,
  )
}

/** Returns the end of the claim that keeps the server's own worker away. */
function readPauseEnd({ clock }: Production['service']['app']): Date {
  return new Date(clock().getTime() + PAUSED_MS)
}

function makeWorkersDue({ db }: Production['service']['app'], claimedUntil: Date): Promise<unknown> {
  return db.query(
    `UPDATE bank_file_workers SET claimed_until = $1, collected_at = 'epoch', looked_at = 'epoch'`,
    [claimedUntil],
  )
}

/**
 * After `pauseWorkers`, runs workers that die before their first commit, before their second, and so on; then
 * runs the server's own worker.
 */
export async function dieAtEachCommit(world: Production): Promise<{ deaths: number }> {
  let deaths = 0
  for (let commits = 0; commits < COMMITS_MAX; commits++) deaths += await dieAfter(world, commits)
  await resumeWorkers(world)
  return { deaths }
}

/** After `pauseWorkers`, runs a worker that makes this number of commits and dies. Resolves with the number of deaths. */
export async function dieAfter({ service: { app } }: Production, commits: number): Promise<number> {
  let [commitsLeft, deaths] = [commits, 0]
  const dyingWorker = createWorkerAhead(app, 1, async () => {
    if (commitsLeft-- > 0) return
    deaths += 1
    throw new Error('The process was killed')
  })
  await makeWorkersDue(app, readPauseEnd(app))
  await runAllRails(dyingWorker)
  return deaths
}

/** Ends the pause of the server's own worker. */
export async function resumeWorkers({ service: { app } }: Production): Promise<void> {
  await makeWorkersDue(app, new Date(0))
  app.workers.wake()
}

/**
 * After `pauseWorkers`, runs two workers, the second of which takes the first for dead. Once both have claimed the
 * rail, they commit in the given order. Each reads the data for its next commit before the other worker commits.
 */
export async function runTwoWorkers(
  { service: { app } }: Production,
  order: readonly (1 | 2)[],
): Promise<void> {
  const turns = [...order]
  const waiting = new Map<1 | 2, () => void>()
  let running = 0
  const release = () => {
    if (waiting.size < running) return
    const nextWorker = waiting.size > 1 ? turns.shift() : undefined
    for (const [worker, resume] of waiting) {
      if (nextWorker !== undefined && nextWorker !== worker) continue
      waiting.delete(worker)
      resume()
      return
    }
  }
  const run = async (worker: 1 | 2, claimed: () => void) => {
    running += 1
    let commits = 0
    const workerInTurn = createWorkerAhead(app, worker, async () => {
      commits += 1
      if (commits === 1) return
      if (commits === 2) claimed()
      await new Promise<void>((resolve) => {
        waiting.set(worker, resolve)
        release()
      })
    })
    await runAllRails(workerInTurn)
    running -= 1
    release()
  }
  let second: Promise<void> | undefined
  await makeWorkersDue(app, readPauseEnd(app))
  await run(1, () => {
    second = run(2, () => undefined)
  })
  await second
}

/**
 * Derives an app for a worker whose clock is several pauses ahead, so that it takes any other owner of the rail for
 * dead. `beforeCommit` runs before each of its commits.
 */
function createWorkerAhead(
  app: Production['service']['app'],
  pauses: number,
  beforeCommit: () => Promise<void>,
): typeof app {
  return Object.create(app, {
    clock: { value: () => new Date(app.clock().getTime() + pauses * PAUSED_MS) },
    commit: {
      value: async (...args: Parameters<typeof app.commit>) => {
        await beforeCommit()
        return app.commit(...args)
      },
    },
  })
}
