import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, fund, type Reply } from '../../worlds/client.testing.ts'
import { account, everyOne, quoted, ready, to } from '../../worlds/records/payments.testing.ts'

/** A platform with a deposit, a conversion, a payment to a bank and one that came back. */
export async function booked() {
  const world = await ready('005')
  const { client, customer, bank } = world
  await quoted(client, account(customer.usd), to(customer.eur), { immediatelyExecute: true })
  await client.advance(0)
  await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
  await client.advance(3 * 24 * 3600)
  await fund(client, customer.usd, 1_234)
  return world
}

/** An entry of the chart for each kind. */
export const WHOLE_CHART = [
  { kind: 'CUSTOMERS', code: '2000', name: 'Client money', type: 'LIABILITY' },
  { kind: 'PLATFORM', code: '3000', name: 'Own money', type: 'EQUITY' },
  { kind: 'RAIL', code: '1000', name: 'Banks', type: 'ASSET' },
  { kind: 'RAIL', currency: 'EUR', code: '1010', name: 'Bank EUR', type: 'ASSET' },
  { kind: 'FX', code: '3100', name: 'Conversions', type: 'EQUITY' },
  { kind: 'FEES', code: '4000', name: 'Fees', type: 'INCOME' },
  { kind: 'CLEARING', code: '2100', name: 'In transit', type: 'LIABILITY' },
  { kind: 'REFUNDS', code: '2100', name: 'In transit', type: 'LIABILITY' },
  { kind: 'RECEIVABLES', code: '1200', name: 'Receivables', type: 'ASSET' },
  { kind: 'SUSPENSE', code: '2200', name: 'Suspense', type: 'LIABILITY' },
  { kind: 'COSTS', code: '5000', name: 'Bank charges', type: 'EXPENSE' },
] as const

export async function setChart(client: Client, body: object = { accounts: WHOLE_CHART }): Promise<void> {
  const reply = await client.send('PUT', '/ledger/chart-of-accounts', body)
  expect(reply.status, toJson(reply.body)).toBe(200)
}

export const EVER = 'from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z'

export async function journalOf(client: Client, query: string): Promise<string> {
  const { status, body } = await client.get(`/ledger/journal?${query}`)
  expect(status, toJson(body)).toBe(200)
  return body
}

/** The balance of each account and currency, by the code in the chart: above 0 for a debit. */
export type Balances = ReadonlyMap<string, bigint>

/** The balances of the ledger by the codes of `WHOLE_CHART`, without balances of 0. */
export async function ledgerBalances(client: Client): Promise<Balances> {
  const codes = new Map<string, string>(WHOLE_CHART.map(({ kind, code }) => [kind, code]))
  codes.set('RAIL', '1000')
  const sums = new Map<string, bigint>()
  for (const one of await everyOne(client, '/ledger/accounts')) {
    const { name, owner, currency, normalSide, posted }: Reply['body'] = one
    const kind = name?.toUpperCase() ?? (owner.startsWith('Platform:') ? 'PLATFORM' : 'CUSTOMERS')
    const code = kind === 'RAIL' && currency.code === 'EUR' ? '1010' : codes.get(kind)
    const key = `${code} ${currency.code}`
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(posted) * (normalSide === 'debit' ? 1n : -1n))
  }
  return nonZero(sums)
}

/** Sorted, without balances of 0. */
export function nonZero(sums: Balances): Balances {
  return new Map([...sums].filter(([, sum]) => sum !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** `12.50` in hundredths; the tests have currencies with two decimals. */
export function hundredths(text: string): bigint {
  return BigInt(text.replace('.', ''))
}

/** True if the command runs. Otherwise a warning says that the tests which need it are skipped. */
export function hasProgram(what: string, command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    console.warn(`${what} is not installed: its tests are skipped`)
    return false
  }
}

export function hasPython(module: string): boolean {
  return hasProgram(`${module} for Python`, 'python3', '-c', `import ${module}`)
}

/** The output of a program that reads a file with this content; the path of the file is its last argument. */
export function readBy(command: string, args: readonly string[], name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-books-'))
  try {
    const path = join(folder, name)
    writeFileSync(path, content)
    return execFileSync(command, [...args, path], { encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The output of a script in Python that reads a file. */
export function readByPython(script: string, name: string, content: string): string {
  return readBy('python3', ['-c', script], name, content)
}
