import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../worlds/client.testing.ts'
import {
  ALL_TIME,
  type Balances,
  createBookedWorld,
  dropZeros,
  hasProgram,
  hasPython,
  parseHundredths,
  readJournal,
  readLedgerBalances,
  runPythonReader,
  runReader,
  setChart,
} from './accounting.testing.ts'

let client: Client
beforeAll(async () => {
  client = (await createBookedWorld()).client
})

/** Parses the code in an account name such as `Assets:1000 Banks` or `Assets:1000-Banks`. */
function parseCode(account: string): string {
  return /^[A-Z][a-z]+:(\d+)/.exec(account)?.[1] ?? account
}

function sumBalances(
  rows: readonly (readonly [account: string, currency: string, amount: string])[],
): Balances {
  return dropZeros(
    new Map(
      rows.map(([account, currency, amount]) => [
        `${parseCode(account)} ${currency}`,
        parseHundredths(amount),
      ]),
    ),
  )
}

describe.skipIf(!hasProgram('hledger', 'hledger', '--version'))('hledger', () => {
  const readBalances = (journal: string, ...checks: readonly string[]) => {
    for (const check of checks) runReader('hledger', ['check', check, '-f'], 'all.journal', journal)
    const args = ['balance', '--flat', '--layout=bare', '-N', '-O', 'csv', '-f']
    const rows: string[][] = parse(runReader('hledger', args, 'all.journal', journal), { from_line: 2 })
    return sumBalances(rows.map(([account = '', currency = '', amount = '']) => [account, currency, amount]))
  }

  test('reads the journal and finds the balances of the ledger', async () => {
    await setChart(client)
    const balances = readBalances(await readJournal(client, `${ALL_TIME}&format=hledger`), 'ordereddates')
    expect(balances).toEqual(await readLedgerBalances(client))
  })

  test('reads the journal without a chart', async () => {
    await setChart(client, { accounts: [] })
    const balances = readBalances(await readJournal(client, `${ALL_TIME}&format=hledger`))
    expect(balances.size).toBeGreaterThan(4)
  })
})

const BALANCES_BY_BEANCOUNT = `
import collections, sys
from beancount import loader
entries, errors, options = loader.load_file(sys.argv[1])
for error in errors: print(error, file=sys.stderr)
if errors: sys.exit(1)
sums = collections.defaultdict(int)
for entry in entries:
    for posting in getattr(entry, 'postings', None) or []:
        sums[posting.account, posting.units.currency] += posting.units.number
for (account, currency), amount in sums.items(): print(account, currency, amount)
`

describe.skipIf(!hasPython('beancount'))('beancount', () => {
  const readBalances = (journal: string) => {
    const lines = runPythonReader(BALANCES_BY_BEANCOUNT, 'all.beancount', journal).trim().split('\n')
    return sumBalances(
      lines.map((line) => {
        const [account = '', currency = '', amount = ''] = line.split(' ')
        return [account, currency, amount] as const
      }),
    )
  }

  test('reads the journal and finds the balances of the ledger', async () => {
    await setChart(client)
    const balances = readBalances(await readJournal(client, `${ALL_TIME}&format=beancount`))
    expect(balances).toEqual(await readLedgerBalances(client))
  })

  test('reads the journal without a chart', async () => {
    await setChart(client, { accounts: [] })
    const balances = readBalances(await readJournal(client, `${ALL_TIME}&format=beancount`))
    expect(balances.size).toBeGreaterThan(4)
  })
})
