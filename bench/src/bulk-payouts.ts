import { readFileSync } from 'node:fs'
import { Countersign } from '@countersign/sdk'
import { CONNECTIONS, load, pickRandom } from './load.ts'
import type { Bench } from './on-server.ts'
import { findMedian, formatInteger, formatTable } from './table.ts'
import { buildTransferCall } from './transfers.ts'

const LINES = 10_000
const SHORT_LINES = 200
const LONG_FILE = 1_000_000
const SHORT_LONG_FILE = 1_000
const PAYEES = 100
const FUNDS = 1_000_000_000n

/**
 * The results of one round: rates per second, and the server's resident memory in MiB after a tenth of the
 * lines and at the end.
 */
interface Round {
  readonly single: number
  readonly bulk: number
  readonly memory: readonly [number, number]
}

/**
 * Measures the payouts of a CSV file, from the upload to the last accepted line, alongside the same number of
 * single `POST /transfer-out` calls from the same account in the same round.
 */
export async function measureBulk(
  bench: Bench<unknown>,
  { rounds, isShort }: { readonly rounds: number; readonly isShort: boolean },
): Promise<void> {
  const lines = isShort ? SHORT_LINES : LINES
  const countersign = new Countersign(bench.credentials)
  const { accountId, payees } = await createPlatformPayer(countersign)
  const pairs = payees.map((bankAccountId) => ({ accountId, bankAccountId }))
  const results: Round[] = []
  for (let n = 0; n < rounds; n++) {
    const { perSecond } = await load(
      bench.target,
      { calls: lines },
      [() => buildTransferCall(pickRandom(pairs))],
      bench.waitUntilIdle,
    )
    const bulk = await sendFile(countersign, bench.target.pid, payees, lines)
    await bench.waitUntilIdle()
    results.push({ single: perSecond, ...bulk })
  }
  const ratios = results.map(({ single, bulk }) => bulk / single)
  const memory = results.map(
    ({ memory: [early, late] }) => `${formatInteger(early)} → ${formatInteger(late)} MiB`,
  )
  process.stdout.write(
    `${formatInteger(lines)} payouts of one account: single calls by ${CONNECTIONS} connections, and a CSV file from its upload to the last accepted line.\n` +
      formatTable([
        ['', 'per second', 'ratio', 'memory from a tenth of the lines to the last'],
        ['single calls', formatInteger(findMedian(results.map(({ single }) => single))), '1.00', ''],
        [
          'file',
          formatInteger(findMedian(results.map(({ bulk }) => bulk))),
          findMedian(ratios).toFixed(2),
          memory.join(', '),
        ],
      ]),
  )
  await measureLongFile(countersign, bench.target.pid, payees, isShort ? SHORT_LONG_FILE : LONG_FILE)
}

/** The platform's funded dollar account, and payees of the platform. */
async function createPlatformPayer(countersign: Countersign) {
  const { data } = await countersign.platformInternalAccounts.list({ currency: 'USD' })
  const [account] = data
  if (!account) throw new Error('The platform has no US dollar account.')
  await countersign.sandbox.fund(account.id, { amount: FUNDS })
  const payees: string[] = []
  for (let n = 0; n < PAYEES; n++) {
    const { id } = await countersign.platformExternalAccounts.create({
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: `${500_000 + n}789`,
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    payees.push(id)
  }
  return { accountId: account.id, payees }
}

/** Uploads a file, and pays it once it has been checked. */
async function sendFile(countersign: Countersign, pid: number, payees: readonly string[], lines: number) {
  const startedMs = performance.now()
  const { id, early } = await checkFile(countersign, pid, payees, lines)
  await countersign.payoutBatches.execute(id, { totals: [{ currency: 'USD', amount: BigInt(lines) }] })
  const batch = await countersign.waitForPayoutBatch(id, WAIT_OPTIONS)
  const seconds = (performance.now() - startedMs) / 1000
  if (batch.progress.sent !== lines) throw new Error(`${batch.progress.sent} of ${lines} lines were sent.`)
  return { bulk: lines / seconds, memory: [early, readResidentMib(pid)] as const }
}

const WAIT_OPTIONS = { timeoutMs: Number.POSITIVE_INFINITY, pollEveryMs: 50 }

/**
 * Uploads a file that is only checked. Returns the server's memory in MiB after a tenth of its lines and at
 * the end.
 */
async function checkFile(countersign: Countersign, pid: number, payees: readonly string[], lines: number) {
  const rows = Array.from({ length: lines }, (_, n) => `${payees[n % payees.length]},USD,1`)
  const file = new Blob([`accountId,currency,amount\n${rows.join('\n')}\n`], { type: 'text/csv' })
  let early: number | undefined
  const onProgress = ({ progress }: { readonly progress: { readonly checked: number } }) => {
    if (early === undefined && progress.checked >= lines / 10) early = readResidentMib(pid)
  }
  const { body } = await countersign.call('payout_file_create', { body: { file, fileName: 'bench.csv' } })
  const { progress } = await countersign.waitForPayoutBatch(body.id, { ...WAIT_OPTIONS, onProgress })
  if (progress.checked !== lines || progress.faulty > 0)
    throw new Error(`${progress.checked} of ${lines} lines were checked, ${progress.faulty} have faults.`)
  const late = readResidentMib(pid)
  return { id: body.id, early: early ?? late, late }
}

/** Checks a single file with many lines. The server's memory must not grow with the number of lines. */
async function measureLongFile(
  countersign: Countersign,
  pid: number,
  payees: readonly string[],
  lines: number,
): Promise<void> {
  const startedMs = performance.now()
  const { id, early, late } = await checkFile(countersign, pid, payees, lines)
  const perSecond = (lines * 1000) / (performance.now() - startedMs)
  await countersign.payoutBatches.cancel(id)
  process.stdout.write(
    `A CSV file of ${formatInteger(lines)} lines is checked: ${formatInteger(perSecond)} lines a second, memory ` +
      `${formatInteger(early)} → ${formatInteger(late)} MiB from a tenth of the lines to the last.\n`,
  )
}

/** A process's resident memory. Works only on Linux; NaN elsewhere. */
function readResidentMib(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
