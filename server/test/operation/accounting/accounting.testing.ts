import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, fund, type Reply } from '../../worlds/client.testing.ts'
import { account, quoted, readAllRecords, ready, to } from '../../worlds/records/payments.testing.ts'

/** Creates a platform with deposits, a conversion, and a bank payment that is returned. */
export async function createBookedWorld() {
  const world = await ready('005')
  const { client, customer, bank } = world
  await quoted(client, account(customer.usd), to(customer.eur), { immediatelyExecute: true })
  await client.advance(0)
  await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
  await client.advance(3 * 24 * 3600)
  await fund(client, customer.usd, 1_234)
  return world
}

/** A chart with an entry for each kind of account. */
export const FULL_CHART = [
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

export async function setChart(client: Client, body: object = { accounts: FULL_CHART }): Promise<void> {
  const reply = await client.send('PUT', '/ledger/chart-of-accounts', body)
  expect(reply.status, toJson(reply.body)).toBe(200)
}

export const ALL_TIME = 'from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z'

export async function readJournal(client: Client, query: string): Promise<string> {
  const { status, body } = await client.get(`/ledger/journal?${query}`)
  expect(status, toJson(body)).toBe(200)
  return body
}

/** Balances by chart code and currency; debits are positive. */
export type Balances = ReadonlyMap<string, bigint>

/** Sums the ledger balances by the codes of `FULL_CHART`, without zeros. */
export async function readLedgerBalances(client: Client): Promise<Balances> {
  const codes = new Map<string, string>(FULL_CHART.map(({ kind, code }) => [kind, code]))
  codes.set('RAIL', '1000')
  const sums = new Map<string, bigint>()
  for (const ledgerAccount of await readAllRecords(client, '/ledger/accounts')) {
    const { name, owner, currency, normalSide, posted }: Reply['body'] = ledgerAccount
    const kind = name?.toUpperCase() ?? (owner.startsWith('Platform:') ? 'PLATFORM' : 'CUSTOMERS')
    const code = kind === 'RAIL' && currency.code === 'EUR' ? '1010' : codes.get(kind)
    const key = `${code} ${currency.code}`
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(posted) * (normalSide === 'debit' ? 1n : -1n))
  }
  return dropZeros(sums)
}

/** Sorts the balances and drops zeros. */
export function dropZeros(sums: Balances): Balances {
  return new Map([...sums].filter(([, sum]) => sum !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Parses `12.50` into hundredths; all currencies of these tests have two decimals. */
export function parseHundredths(text: string): bigint {
  return BigInt(text.replace('.', ''))
}

/** True if the command runs. Otherwise a warning says that its tests are skipped. */
export function hasProgram(label: string, command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    console.warn(`${label} is not installed: its tests are skipped`)
    return false
  }
}

export function hasPython(module: string): boolean {
  return hasProgram(`${module} for Python`, 'python3', '-c', `import ${module}`)
}

/** Runs a program on a file with this content, whose path is the last argument, and returns its output. */
export function runReader(command: string, args: readonly string[], name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-books-'))
  try {
    const path = join(folder, name)
    writeFileSync(path, content)
    return execFileSync(command, [...args, path], { encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs a Python script on a file with this content and returns its output. */
export function runPythonReader(script: string, name: string, content: string): string {
  return runReader('python3', ['-c', script], name, content)
}
