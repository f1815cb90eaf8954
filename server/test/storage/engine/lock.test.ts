import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/databases.testing.ts'
import { acquireLock } from '../../../src/storage/engine/lock.ts'
import { bundle, Program } from '../../worlds/server-process.testing.ts'

let program: { file: string; remove: () => void }
let folder: string
let path: string
const failOnLoss = () => {
  throw new Error('the lock was lost')
}

beforeAll(async () => {
  program = await bundle('program-lock.ts')
})
afterAll(() => program.remove())
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder, 'countersign.lock')
  return () => rmSync(folder, { recursive: true, force: true })
})

async function startProgram(): Promise<Program> {
  const starter = new Program([program.file, path])
  await starter.until((lines) => lines.includes('ready'))
  return starter
}

test('a second process is refused with one line that names the owner and the folder', async () => {
  const lock = acquireLock(path, failOnLoss)
  const second = await startProgram()
  second.say('go')
  await second.ended()
  expect(second.lines[1]).toBe(
    `refused process ${process.pid} is already running on ${folder}: ` +
      'stop it first, or choose another folder with COUNTERSIGN_DATA_DIR',
  )
  lock.release()
  expect(readdirSync(folder)).toEqual([])
})

test('a second lock in the same process is refused', () => {
  const lock = acquireLock(path, failOnLoss)
  expect(() => acquireLock(path, failOnLoss)).toThrow(`process ${process.pid} is already running`)
  lock.release()
  acquireLock(path, failOnLoss).release()
})

test('the lock of a killed process is taken over', async () => {
  const killed = await startProgram()
  killed.say('go')
  await killed.until((lines) => lines.includes('taken'))
  await killed.kill()
  expect(existsSync(path)).toBe(true)
  const lock = acquireLock(path, failOnLoss)
  expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid)
  lock.release()
})

test.skipIf(!existsSync('/proc/self/stat'))('a reused pid does not keep a dead lock alive', () => {
  const former = acquireLock(path, failOnLoss)
  const owner = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...owner, started: '1', token: 'former' }))
  const lock = acquireLock(path, failOnLoss)
  former.release()
  expect(JSON.parse(readFileSync(path, 'utf8')).started).toBe(owner.started)
  lock.release()
})

test('a lock of another machine stays valid as long as its owner writes to it', () => {
  const former = acquireLock(path, failOnLoss)
  const owner = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...owner, machine: 'elsewhere', token: 'former' }))
  expect(() => acquireLock(path, failOnLoss)).toThrow('of another machine')
  const minutesAgo = statSync(path).mtimeMs / 1000 - 120
  utimesSync(path, minutesAgo, minutesAgo)
  acquireLock(path, failOnLoss).release()
  former.release()
})

test('a file that is not a lock is not overwritten', () => {
  writeFileSync(path, 'notes')
  expect(() => acquireLock(path, failOnLoss)).toThrow(`${path} cannot be read as a lock`)
  expect(readFileSync(path, 'utf8')).toBe('notes')
})

test('exactly one of many concurrent processes takes a dead lock, and no file is left behind', async () => {
  for (let round = 0; round < 4; round += 1) {
    const deadLock = { pid: 2 ** 30, started: '1', machine: readMachine(), token: `dead-${round}` }
    writeFileSync(path, JSON.stringify(deadLock))
    // In half of the rounds a process has also died while it was claiming the dead lock.
    if (round % 2 === 1)
      writeFileSync(`${path}.${deadLock.token}`, JSON.stringify({ ...deadLock, token: 'claimant' }))
    const starters = await Promise.all(Array.from({ length: 6 }, startProgram))
    for (const starter of starters) starter.say('go')
    await Promise.all(starters.map((starter) => starter.until((lines) => lines.length >= 2)))
    const winners = starters.filter(({ lines }) => lines[1] === 'taken')
    expect(winners).toHaveLength(1)
    expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(winners[0]?.process.pid)
    await Promise.all(starters.map((starter) => starter.ended()))
    expect(starters.some(({ lines }) => lines.includes('lost'))).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  }
})

function readMachine(): string {
  const probe = join(folder, 'probe')
  const lock = acquireLock(probe, failOnLoss)
  const { machine } = JSON.parse(readFileSync(probe, 'utf8'))
  lock.release()
  return machine
}

test('a copy of an open data folder is refused with one line', () => {
  const lock = acquireLock(path, failOnLoss)
  const copy = temporaryFolder()
  writeFileSync(join(copy, 'countersign.lock'), readFileSync(path))
  expect(() => acquireLock(join(copy, 'countersign.lock'), failOnLoss)).toThrow(
    `${copy} is a copy of ${folder}, which process ${process.pid} has open`,
  )
  lock.release()
  // The lock in the copy names a running process, but another folder.
  rmSync(copy, { recursive: true })
})
