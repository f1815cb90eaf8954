import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BANK_FILE_TRANSITIONS, type BankFileState } from '../../storage/rows/states.ts'
import { toMarkerName } from './markers.ts'
import type { BankFolder, Piece } from './stores/bank-folder.ts'
import { createDiskFolder } from './stores/disk-folder.ts'
import { type FileToWrite, removeParts, takeWritingStep } from './writing.ts'

const NAME = 'PAYMENTS-0000000007.xml'
const CONTENT = ['<Document>', 'one payment of 12.50', 'another of 7.50', '</Document>']

const MARKER = { name: '{stem}.ok', content: 'SHA256' } as const
const MARKER_NAME = toMarkerName(MARKER, NAME)
const MARKER_TEXT = `${createHash('sha256').update(CONTENT.join('')).digest('hex')}  ${NAME}\n`

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bank-files-'))
})
afterEach(async () => {
  await rm(root, { recursive: true, force: true })
})

class Crash extends Error {}

/** Counts every step, in the folder and in the record, and crashes before or after one of them. */
class World {
  record: FileToWrite = { name: NAME, state: 'WRITING', part: null }
  #attempts = 0
  #stepCount = 0
  readonly #crashAt: number
  readonly #when: 'before' | 'after'

  constructor(crashAt: number, when: 'before' | 'after') {
    this.#crashAt = crashAt
    this.#when = when
  }

  get stepCount(): number {
    return this.#stepCount
  }

  async takeStep<Result>(step: () => Promise<Result> | Result): Promise<Result> {
    const at = this.#stepCount++
    if (at === this.#crashAt && this.#when === 'before') throw new Crash()
    const result = await step()
    if (at === this.#crashAt) throw new Crash()
    return result
  }

  folder(): BankFolder {
    const disk = createDiskFolder(root)
    return {
      ...disk,
      write: (path, pieces) => disk.write(path, this.#each(pieces)),
      rename: (from, to) => this.takeStep(() => disk.rename(from, to)),
      parts: (folder, name) => this.takeStep(() => disk.parts(folder, name)),
      remove: (path) => this.takeStep(() => disk.remove(path)),
    }
  }

  async *#each(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    for await (const piece of pieces) yield await this.takeStep(() => piece)
    await this.takeStep(() => undefined)
  }

  /** Runs the job once: a step and its record, guarded by the state before the step. */
  async step(): Promise<boolean> {
    const before = this.record
    const place = { folder: this.folder(), outbox: 'out', marker: MARKER }
    const step = await takeWritingStep(before, `a${++this.#attempts}`, place, () => this.#content())
    if (!step) {
      await removeParts(before, place)
      return false
    }
    await this.takeStep(() => {
      const state: BankFileState | null = BANK_FILE_TRANSITIONS[this.record.state][step.event]
      if (this.record.state === before.state && state) this.record = { ...before, state, part: step.part }
    })
    return true
  }

  async *#content(): AsyncGenerator<string> {
    yield* CONTENT
  }
}

/** Runs the job until the file is finished, as a restarted server would. */
async function finish(world: World, between: () => Promise<void>): Promise<void> {
  for (let runs = 0; runs < 20; runs++) {
    const isUnfinished = await world.step().catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error
      return true
    })
    await between()
    if (!isUnfinished) return
  }
  throw new Error('The file was never finished.')
}

const countSteps = async () => {
  const world = new World(-1, 'before')
  await finish(world, async () => {})
  await rm(root, { recursive: true, force: true })
  return world.stepCount
}

test.each(['before', 'after'] as const)(
  'the bank receives a file exactly once and complete, followed by its marker, if the process crashes %s any step',
  async (when) => {
    const count = await countSteps()
    expect(count).toBeGreaterThan(CONTENT.length + 4)
    for (let crashAt = 0; crashAt < count; crashAt++)
      for (const isTakenEarly of [true, false]) {
        const world = new World(crashAt, when)
        const taken: string[] = []
        const take = async () => {
          for (const name of [NAME, MARKER_NAME]) {
            const path = join(root, 'out', name)
            if (!(await stat(path).catch(() => undefined))) continue
            const to = join(root, `taken-${taken.length}`)
            await rename(path, to)
            taken.push(await readFile(to, 'utf8'))
          }
        }
        await finish(world, isTakenEarly ? take : async () => {})
        await take()
        expect(taken, `${when} ${crashAt}`).toEqual([CONTENT.join(''), MARKER_TEXT])
        expect(world.record.state).toBe('WRITTEN')
        for (const name of [NAME, MARKER_NAME])
          expect(await createDiskFolder(root).parts('out', name)).toEqual([])
        await rm(root, { recursive: true, force: true })
      }
  },
)

test('if two processes write the same bank file, one is recorded and the other does no harm', async () => {
  const world = new World(-1, 'before')
  const place = { folder: createDiskFolder(root), outbox: 'out' }
  const slow = takeWritingStep(world.record, 'slow', place, async function* () {
    yield CONTENT[0]!
    // Meanwhile, another process writes the whole file.
    await world.step()
    await world.step()
    yield CONTENT.slice(1).join('')
  })
  await slow
  await world.step()
  expect(await readFile(join(root, 'out', NAME), 'utf8')).toBe(CONTENT.join(''))
  expect(world.record.state).toBe('WRITTEN')
  expect(await place.folder.list('out')).toMatchObject([{ name: MARKER_NAME }, { name: NAME }])
})

test('a bank file whose name is taken is not written, and the existing file does not change', async () => {
  const world = new World(-1, 'before')
  const disk = createDiskFolder(root)
  await disk.write(
    { folder: 'out', name: NAME },
    (async function* () {
      yield 'a file of another program'
    })(),
  )
  await world.step()
  await expect(world.step()).rejects.toThrow(NAME)
  expect(await readFile(join(root, 'out', NAME), 'utf8')).toBe('a file of another program')
  expect(world.record.state).toBe('READY')
})
