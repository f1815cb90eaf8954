import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/databases.testing.ts'
import { acquireLock } from '../../../src/storage/engine/lock.ts'
import { bundle, Program } from '../../worlds/server-process.testing.ts'

let program: { file: string; remove: () => void }
let folder: string
let path: string
const fail = () => {
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

async function started(): Promise<Program> {
  const starter = new Program([program.file, path])
  await starter.until((lines) => lines.includes('ready'))
  return starter
}

test('a second process is refused with one line naming the owner and the folder', async () => {
  const lock = acquireLock(path, fail)
  const second = await started()
  second.say('go')
  await second.ended()
  expect(second.lines[1]).toBe(
    `refused process ${process.pid} is already running on ${folder}: ` +
      'stop it first, or choose another folder with COUNTERSIGN_DATA_DIR',
  )
  lock.release()
  expect(readdirSync(folder)).toEqual([])
})

test('the same process is refused too', () => {
  const lock = acquireLock(path, fail)
  expect(() => acquireLock(path, fail)).toThrow(`process ${process.pid} is already running`)
  lock.release()
  acquireLock(path, fail).release()
})

test('the lock of a killed process is taken over', async () => {
  const killed = await started()
  killed.say('go')
  await killed.until((lines) => lines.includes('taken'))
  await killed.kill()
  expect(existsSync(path)).toBe(true)
  const lock = acquireLock(path, fail)
  expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid)
  lock.release()
})

test.skipIf(!existsSync('/proc/self/stat'))('a pid that came again does not keep a dead lock alive', () => {
  const former = acquireLock(path, fail)
  const owner = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...owner, started: '1', token: 'former' }))
  const lock = acquireLock(path, fail)
  former.release()
  expect(JSON.parse(readFileSync(path, 'utf8')).started).toBe(owner.started)
  lock.release()
})

test('an owner on another machine is alive as long as it writes to its lock', () => {
  const former = acquireLock(path, fail)
  const owner = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...owner, machine: 'elsewhere', token: 'former' }))
  expect(() => acquireLock(path, fail)).toThrow('of another machine')
  const minutesAgo = statSync(path).mtimeMs / 1000 - 120
  utimesSync(path, minutesAgo, minutesAgo)
  acquireLock(path, fail).release()
  former.release()
})

test('a file that is not a lock is not overwritten', () => {
  writeFileSync(path, 'notes')
  expect(() => acquireLock(path, fail)).toThrow(`${path} cannot be read as a lock`)
  expect(readFileSync(path, 'utf8')).toBe('notes')
})

test('exactly one of many starters takes a dead lock, and no file stays behind', async () => {
  for (let round = 0; round < 4; round += 1) {
    const dead = { pid: 2 ** 30, started: '1', machine: machine(), token: `dead-${round}` }
    writeFileSync(path, JSON.stringify(dead))
    // Half of the rounds also have a claim on the dead one, whose owner died holding it.
    if (round % 2 === 1)
      writeFileSync(`${path}.${dead.token}`, JSON.stringify({ ...dead, token: 'claimant' }))
    const starters = await Promise.all(Array.from({ length: 6 }, started))
    for (const starter of starters) starter.say('go')
    await Promise.all(starters.map((starter) => starter.until((lines) => lines.length >= 2)))
    const taken = starters.filter(({ lines }) => lines[1] === 'taken')
    expect(taken).toHaveLength(1)
    expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(taken[0]?.process.pid)
    await Promise.all(starters.map((starter) => starter.ended()))
    expect(starters.some(({ lines }) => lines.includes('lost'))).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  }
})

function machine(): string {
  const probe = join(folder, 'probe')
  const lock = acquireLock(probe, fail)
  const { machine } = JSON.parse(readFileSync(probe, 'utf8'))
  lock.release()
  return machine
}

test('a copy of an open folder is refused with one line', () => {
  const lock = acquireLock(path, fail)
  const copy = temporaryFolder()
  writeFileSync(join(copy, 'countersign.lock'), readFileSync(path))
  expect(() => acquireLock(join(copy, 'countersign.lock'), fail)).toThrow(
    `${copy} is a copy of ${folder}, which process ${process.pid} has open`,
  )
  lock.release()
  // The copy is a lock of a running process, but of another folder.
  rmSync(copy, { recursive: true })
})
