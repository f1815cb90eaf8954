import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/databases.testing.ts'
import { openEmbedded } from '../../../src/storage/engine/embedded.ts'
import { bundle, Program } from '../../worlds/server-process.testing.ts'

const HOOK = fileURLToPath(new URL('./fsync-hook.mjs', import.meta.url))
const dataDir = temporaryFolder()
let writer: { file: string; remove: () => void }
let idNext = 1
const acknowledged = new Set<string>()
const programs: Program[] = []

beforeAll(async () => {
  writer = await bundle('program-writer.ts')
  // A first start that was killed leaves nothing that the next start mistakes for a database.
  const killed = startWriter(0, 0)
  await new Promise<void>((resolve) => {
    const checkFolder = () =>
      readdirSync(dataDir).some((name) => name.startsWith('db.new-')) ? resolve() : setImmediate(checkFolder)
    checkFolder()
  })
  await killed.kill()
  const db = await openEmbedded(dataDir)
  await db.close()
})
afterAll(async () => {
  await Promise.all(programs.map((program) => program.kill()))
  writer.remove()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Starts a program that writes rows, each with an unused id. */
function startWriter(
  writers: number,
  rows: number,
  node: string[] = [],
  env: Record<string, string> = {},
): Program {
  const first = idNext
  idNext += 1_000_000
  const program = new Program([...node, writer.file, dataDir, `${first}`, `${writers}`, `${rows}`], env)
  programs.push(program)
  return program
}

function noteAcknowledged(program: Program): void {
  for (const line of program.lines) if (line.startsWith('ack ')) acknowledged.add(line.slice(4))
}

/** Everything acknowledged before the program started must exist when it opens the database. */
function expectPresent(program: Program): void {
  const present = new Set((program.lines[0] ?? '').split(' ').slice(1))
  expect([...acknowledged].filter((id) => !present.has(id))).toEqual([])
}

test('every commit is preceded by exactly one fsync of the write-ahead log', async () => {
  const logFile = join(dataDir, 'fsync.log')
  const program = startWriter(1, 200, ['--import', HOOK], { FSYNC_LOG: logFile })
  expect(await program.ended()).toBe(0)
  noteAcknowledged(program)
  const lines = readFileSync(logFile, 'utf8').trim().split('\n')
  const commits = lines.slice(lines.findIndex((line) => line.startsWith('ack ')) + 1)
  const counts: number[] = []
  let walSyncs = 0
  for (const line of commits) {
    if (line.startsWith('wal ')) walSyncs += 1
    if (!line.startsWith('ack ')) continue
    counts.push(walSyncs)
    walSyncs = 0
  }
  expect(counts).toHaveLength(199)
  expect(Math.min(...counts)).toBe(1)
  // A checkpoint or a new log file in between causes a few additional syncs.
  expect(counts.filter((count) => count !== 1).length).toBeLessThanOrEqual(3)
})

test('a row whose fsync failed is never acknowledged, and neither is any later row', async () => {
  const logFile = join(dataDir, 'fsync-failing.log')
  const program = startWriter(4, 50, ['--import', HOOK], { FSYNC_LOG: logFile, FSYNC_FAIL_AFTER: '40' })
  await program.ended()
  const acks = program.lines.filter((line) => line.startsWith('ack '))
  expect(acks.length).toBeGreaterThan(0)
  expect(acks.length).toBeLessThanOrEqual(40)
  expect(program.lines.filter((line) => line.startsWith('lost '))).toHaveLength(4)
  noteAcknowledged(program)
})

test('kill -9 during writes loses no acknowledged row', async () => {
  for (let round = 0; round < 3; round += 1) {
    const program = startWriter(16, 10_000)
    const acks = randomInt(20, 600)
    await program.until((lines) => lines.length > acks)
    await program.kill()
    expectPresent(program)
    noteAcknowledged(program)
  }
  const finalRun = startWriter(0, 0)
  expect(await finalRun.ended()).toBe(0)
  expectPresent(finalRun)
})

test('a second process is refused, and does not disturb the first one or its database', async () => {
  const db = await openEmbedded(dataDir)
  const second = startWriter(1, 1)
  expect(await second.ended()).toBe(1)
  expect(second.lines).toEqual([
    `refused process ${process.pid} is already running on ${dataDir}: ` +
      'stop it first, or choose another folder with COUNTERSIGN_DATA_DIR',
  ])
  expect((await db.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  await db.close()
})

test('close() completes earlier statements, and refuses later ones', async () => {
  const db = await openEmbedded(dataDir)
  const pending = Array.from({ length: 50 }, (_, index) => db.query('SELECT $1::int AS n', [index]))
  const closing = db.close()
  expect((await Promise.all(pending)).map(({ rows }) => rows[0])).toEqual(pending.map((_, n) => ({ n })))
  await closing
  await expect(db.query('SELECT 1')).rejects.toThrow()
  await db.close()
  expect(existsSync(join(dataDir, 'countersign.lock'))).toBe(false)
})

test('a folder that contains something else is refused', async () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'db'))
  writeFileSync(join(folder, 'db', 'PG_VERSION'), '17\n')
  await expect(openEmbedded(folder)).rejects.toThrow(/was created by PostgreSQL 17/)
  rmSync(join(folder, 'db', 'PG_VERSION'))
  writeFileSync(join(folder, 'db', 'notes.txt'), '')
  await expect(openEmbedded(folder)).rejects.toThrow(/is not a database/)
  expect(readdirSync(folder)).toEqual(['db'])
  rmSync(folder, { recursive: true, force: true })
})
