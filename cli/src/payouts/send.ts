import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { progress } from '@clack/prompts'
import type { ItemOf, PayoutBatch } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { openFile } from '../terminal/open-file.ts'

export interface SendOptions {
  readonly dryRun?: boolean
  readonly skipFaulty?: boolean
  readonly name?: string
  readonly key?: string
  readonly faults?: string
  readonly yes?: boolean
  readonly again?: boolean
}

type Line = ItemOf<'payout_line_list'>

/** Maximum number of printed lines. `--faults` writes all of them to a file. */
const PRINTED_MAX = 20

/**
 * `countersign payouts send`. The upload's idempotency key is a hash of the file, so that a second run after
 * a crash finds the batch of the first run. Throws Failure if the file cannot be read or has errors, or if a
 * payment was refused.
 */
export async function sendPayouts(shell: Shell, path: string, options: SendOptions): Promise<void> {
  const { countersign } = shell
  const file = await openFile(path)
  const { body } = await countersign.call('payout_file_create', {
    body: { file, fileName: basename(path), name: options.name ?? basename(path).slice(0, 100) },
    idempotencyKey: options.key ?? (await buildUploadKey(path)),
  })
  const batch = await watchBatch(shell, body.id, path)
  if (batch.status === 'FAILED') {
    const { line = 0, message = '' } = batch.error ?? {}
    printResult(shell, batch, [
      `${batch.id}  FAILED`,
      `  ${line === 0 ? 'header' : `line ${line}`}: ${message}`,
    ])
    throw new Failure('The file could not be read.')
  }
  if (options.faults !== undefined) await writeFaults(shell, batch.id, options.faults)
  const isDone = batch.status !== 'READY'
  if (options.dryRun || isDone) {
    printResult(shell, batch, await describe(shell, batch))
    return failIfRefused(batch)
  }
  const result = await pay(shell, batch, path, options)
  printResult(shell, result, await describe(shell, result))
  failIfRefused(result)
}

async function pay(
  shell: Shell,
  batch: PayoutBatch,
  path: string,
  options: SendOptions,
): Promise<PayoutBatch> {
  const { countersign, isJson } = shell
  const { faulty } = batch.progress
  if (faulty > 0 && (!options.skipFaulty || batch.totals.length === 0)) {
    printResult(shell, batch, await describe(shell, batch))
    throw new Failure(
      `${faulty} lines cannot be paid, so nothing was paid. Correct them, or pay the others with --skip-faulty.`,
    )
  }
  if (!isJson && !options.yes) io().stdout.write(`${(await describe(shell, batch)).join('\n')}\n`)
  const totals = sumTotals(batch)
  const total = [...totals].map(([code, sum]) => formatAmount(sum, findCurrency(code))).join(' and ')
  await confirmAction(`Pay ${total} in ${batch.progress.checked - faulty} payments?`, options.yes)
  await countersign.payoutBatches.execute(batch.id, {
    totals: [...totals].map(([currency, amount]) => ({ currency, amount })),
    ...(options.skipFaulty ? { skipFaulty: true } : {}),
    ...(options.again ? { payAgain: true } : {}),
  })
  return watchBatch(shell, batch.id, path)
}

/** Hashes the file (SHA-256, hex) as a stream, because it may not fit into memory. */
async function buildUploadKey(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return `payouts ${hash.digest('hex')}`
}

/** Waits while the batch is checked or sent. Shows a progress bar on a terminal. */
async function watchBatch({ countersign, isJson }: Shell, id: string, path: string): Promise<PayoutBatch> {
  const wait = (onProgress: (batch: PayoutBatch) => void) =>
    countersign.waitForPayoutBatch(id, { timeoutMs: Number.POSITIVE_INFINITY, onProgress })
  if (isJson || !io().stdout.isTTY) return wait(() => {})
  const size = 100
  const bar = progress({ max: size })
  let shownPercent = 0
  bar.start(basename(path))
  try {
    const finished = await wait(({ status, progress: { checked, faulty, sent, failed } }) => {
      const payable = checked - faulty
      const isSending = status !== 'CHECKING' && payable > 0
      const percent = isSending ? Math.floor(((sent + failed) / payable) * size) : 0
      bar.advance(
        percent - shownPercent,
        isSending ? `${sent + failed} of ${payable} sent` : `${checked} lines checked`,
      )
      shownPercent = percent
    })
    bar.stop(basename(path))
    return finished
  } catch (error) {
    bar.error('not finished')
    throw error
  }
}

function sumTotals({ totals }: PayoutBatch): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { total } of totals) {
    const { code } = total.currency
    sums.set(code, (sums.get(code) ?? 0n) + total.amount)
  }
  return sums
}

async function describe({ countersign }: Shell, batch: PayoutBatch): Promise<string[]> {
  const { checked, faulty, sent, failed } = batch.progress
  const failedLines: Line[] = []
  for (const status of ['FAULTY', 'FAILED'] as const)
    for await (const line of countersign.payoutBatches.lines(batch.id, { status })) {
      if (failedLines.length === PRINTED_MAX) break
      failedLines.push(line)
    }
  const omitted = faulty + failed - failedLines.length
  return [
    `${batch.id}  ${batch.status}`,
    ...(batch.sameFileAs === undefined
      ? []
      : [`  ${batch.sameFileAs} has the same file. Check that batch first.`]),
    `  ${checked} lines: ${faulty} cannot be paid, ${sent} sent, ${failed} refused`,
    ...batch.totals.map(({ rail, lines, total }) => {
      const { amount, currency } = total
      return `  ${formatAmount(amount, findCurrency(currency.code))} by ${rail}: ${lines} ${lines === 1 ? 'payment' : 'payments'}`
    }),
    ...failedLines.map(({ line, error }) => `  line ${line}  ${error?.code}: ${error?.message}`),
    ...(omitted > 0 ? [`  and ${omitted} more; see --faults`] : []),
    ...(batch.status === 'AWAITING_APPROVAL' ? ['  Other members must approve it before it is sent.'] : []),
  ]
}

async function writeFaults({ countersign }: Shell, id: string, path: string): Promise<void> {
  await writeFile(path, await countersign.payoutBatches.linesCsv(id, { status: 'FAULTY' }))
}

function failIfRefused({ status, progress: { faulty, failed } }: PayoutBatch): void {
  if (failed > 0) throw new Failure(`${failed} payments were refused.`)
  if (status === 'READY' && faulty > 0) throw new Failure(`${faulty} lines cannot be paid.`)
}
