import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../worlds/client.testing.ts'
import {
  type Balances,
  booked,
  EVER,
  hasProgram,
  hasPython,
  hundredths,
  journalOf,
  ledgerBalances,
  nonZero,
  readBy,
  readByPython,
  setChart,
} from './accounting.testing.ts'

let client: Client
beforeAll(async () => {
  client = (await booked()).client
})

/** The code in the name of an account: `Assets:1000 Banks`, `Assets:1000-Banks`. */
function codeOf(account: string): string {
  return /^[A-Z][a-z]+:(\d+)/.exec(account)?.[1] ?? account
}

function balancesOf(
  rows: readonly (readonly [account: string, currency: string, amount: string])[],
): Balances {
  return nonZero(
    new Map(
      rows.map(([account, currency, amount]) => [`${codeOf(account)} ${currency}`, hundredths(amount)]),
    ),
  )
}

describe.skipIf(!hasProgram('hledger', 'hledger', '--version'))('hledger', () => {
  const balancesIn = (journal: string, ...checks: readonly string[]) => {
    for (const check of checks) readBy('hledger', ['check', check, '-f'], 'all.journal', journal)
    const args = ['balance', '--flat', '--layout=bare', '-N', '-O', 'csv', '-f']
    const rows: string[][] = parse(readBy('hledger', args, 'all.journal', journal), { from_line: 2 })
    return balancesOf(rows.map(([account = '', currency = '', amount = '']) => [account, currency, amount]))
  }

  test('reads the journal and finds the balances of the ledger', async () => {
    await setChart(client)
    const found = balancesIn(await journalOf(client, `${EVER}&format=hledger`), 'ordereddates')
    expect(found).toEqual(await ledgerBalances(client))
  })

  test('reads the journal without a chart', async () => {
    await setChart(client, { accounts: [] })
    const found = balancesIn(await journalOf(client, `${EVER}&format=hledger`))
    expect(found.size).toBeGreaterThan(4)
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
  const balancesIn = (journal: string) => {
    const lines = readByPython(BALANCES_BY_BEANCOUNT, 'all.beancount', journal).trim().split('\n')
    return balancesOf(
      lines.map((line) => {
        const [account = '', currency = '', amount = ''] = line.split(' ')
        return [account, currency, amount] as const
      }),
    )
  }

  test('reads the journal and finds the balances of the ledger', async () => {
    await setChart(client)
    const found = balancesIn(await journalOf(client, `${EVER}&format=beancount`))
    expect(found).toEqual(await ledgerBalances(client))
  })

  test('reads the journal without a chart', async () => {
    await setChart(client, { accounts: [] })
    const found = balancesIn(await journalOf(client, `${EVER}&format=beancount`))
    expect(found.size).toBeGreaterThan(4)
  })
})
