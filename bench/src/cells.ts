import { setTimeout } from 'node:timers/promises'
import { cycle, type Figure, load, pickRandom, send, settleSandbox } from './load.ts'
import { type Cell, type Cells, runOnCells } from './on-cells.ts'
import type { Options } from './on-server.ts'
import { findMedian, formatInteger, formatTable, printTable } from './table.ts'
import { buildTransferCall } from './transfers.ts'

const ACCOUNTS = 1000
const SHORT_ACCOUNTS = 50
const WARM_UP_SECONDS = 2
const WARM_UP_PIECES = 20
const PIECES = 200
const IDLE_MS = 2000

/**
 * Measures durable `POST /transfer-out` calls to cells: on plain PostgreSQL, and on Citus with the server
 * next to the worker and next to the coordinator. Then measures two cells under load, one of which stops.
 */
export async function runCells({ seconds, rounds, isShort }: Options): Promise<void> {
  await runOnCells(isShort ? SHORT_ACCOUNTS : ACCOUNTS, async (cells) => {
    const { plain, citus } = cells
    const rows = [
      { name: 'plain PostgreSQL', cell: plain[0] },
      ...(citus ? [{ name: 'Citus, server at the worker', cell: citus[0] }] : []),
      ...(citus ? [{ name: 'Citus, server at the coordinator', cell: citus[1] }] : []),
    ].map((row) => ({ ...row, figures: [] as Figure[] }))
    for (const { cell } of rows) await measureTransfers(cell, WARM_UP_SECONDS)
    for (let n = 0; n < rounds; n++)
      for (const { cell, figures } of rows) figures.push(await measureTransfers(cell, seconds))
    printTable(
      `Durable POST /transfer-out over HTTP, a cell at a time.
32 connections, ${plain[0].payers.length} accounts, ${rounds} alternating rounds of ${seconds} s.`,
      rows,
    )
    const trips: string[][] = []
    for (const { name, cell } of rows) trips.push([name, (await countRoundTrips(cell)).toFixed(1)])
    process.stdout.write(`\nRound trips to PostgreSQL of a transfer, with one caller:\n${formatTable(trips)}`)
    await printStops(cells, seconds, rounds)
  })
}

function measureTransfers({ target, payers }: Cell, seconds: number): Promise<Figure> {
  return load(target, { seconds }, [() => buildTransferCall(pickRandom(payers))], () => settleSandbox(target))
}

/**
 * Counts the round trips of one transfer until it has settled. The round trips that an idle server makes in
 * the same time are subtracted.
 */
function countRoundTrips(cell: Cell): Promise<number> {
  return cell.withRoundTripCounter(async (target, getTrips) => {
    const next = cycle(cell.payers)
    const runPieces = async (pieces: number) => {
      for (let n = 0; n < pieces; n++) await send(target, buildTransferCall(next()))
      await settleSandbox(target)
    }
    const measure = async (runPieces: () => Promise<unknown>) => {
      const [before, startedMs] = [getTrips(), performance.now()]
      await runPieces()
      return { count: getTrips() - before, ms: performance.now() - startedMs }
    }
    await runPieces(WARM_UP_PIECES)
    const idle = await measure(() => setTimeout(IDLE_MS))
    const busy = await measure(() => runPieces(PIECES))
    return (busy.count - (idle.count * busy.ms) / idle.ms) / PIECES
  })
}

/** Measures two cells under load together, and then the first one after the other has been stopped. */
async function printStops({ plain, citus }: Cells, seconds: number, rounds: number): Promise<void> {
  const lines: string[][] = [['', 'both', 'other stopped', 'ratio']]
  for (const [name, pair] of [
    ['two PostgreSQL servers', plain],
    ['two workers of Citus', citus],
  ] as const) {
    if (!pair) continue
    const [stays, stops] = pair
    // The servers have just been restarted.
    for (const cell of pair) await measureTransfers(cell, WARM_UP_SECONDS)
    const together: number[] = []
    const alone: number[] = []
    for (let n = 0; n < rounds; n++) {
      const [figure] = await Promise.all([measureTransfers(stays, seconds), measureTransfers(stops, seconds)])
      together.push(figure.settledPerSecond)
    }
    await stops.stop()
    for (let n = 0; n < rounds; n++) alone.push((await measureTransfers(stays, seconds)).settledPerSecond)
    const [both, single] = [findMedian(together), findMedian(alone)]
    lines.push([name, formatInteger(both), formatInteger(single), (single / both).toFixed(2)])
  }
  process.stdout.write(`
Settled transfers per second of a cell, while another has the same load, and once its server and its PostgreSQL are stopped:
${formatTable(lines)}`)
}
