import { PassThrough, Writable } from 'node:stream'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createErrorDescriber } from './log.ts'
import { createFileOutput, pipeOutput } from './output.ts'

/** A disk with a limited number of free bytes. */
class Disk {
  room: number
  text = ''

  constructor(room: number) {
    this.room = room
  }

  readonly write = (_: number, bytes: Uint8Array, from: number): number => {
    const left = Buffer.from(bytes).subarray(from)
    if (this.room === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    const written = left.subarray(0, this.room)
    this.room -= written.length
    this.text += written
    return written.length
  }
}

test('a log on a full disk drops and counts lines, and never joins two lines', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(20), fc.stringMatching(/^[a-z]{0,12}$/)), { maxLength: 40 }),
      (steps) => {
        const disk = new Disk(0)
        let dropped = 0
        const output = createFileOutput(
          9,
          (lines) => {
            dropped += lines
          },
          disk.write,
        )
        for (const [freedBytes, word] of steps) {
          disk.room += freedBytes
          output.write(`<${word}>\n`)
        }
        const whole = disk.text.split('\n').filter((line) => /^<[a-z]*>$/.test(line))
        const words = steps.map(([, word]) => `<${word}>`)
        // The fully written lines are a subsequence of the lines, in order.
        let at = 0
        for (const line of whole) at = words.indexOf(line, at) + 1
        expect(disk.text.split('\n').filter((line) => line.includes('><'))).toEqual([])
        expect(whole.length + dropped).toBeGreaterThanOrEqual(steps.length)
        expect(dropped).toBeLessThanOrEqual(steps.length)
      },
    ),
  )
})

test('a log to a pipe without a reader buffers a bounded amount, and drops and counts the remaining lines', () => {
  const never = new Writable({ write: () => {} })
  let dropped = 0
  const output = pipeOutput(never, (lines) => {
    dropped += lines
  })
  const line = `${'x'.repeat(99_999)}\n`
  for (let count = 0; count < 100; count++) output.write(line)
  expect(never.writableLength).toBeLessThan(500_000)
  expect(dropped).toBeGreaterThan(80)
})

test('a log to a pipe whose reader ended drops and counts lines', async () => {
  const stream = new PassThrough()
  let dropped = 0
  const output = pipeOutput(stream, (lines) => {
    dropped += lines
  })
  stream.destroy(new Error('EPIPE'))
  await new Promise((resolve) => stream.once('close', resolve))
  output.write('one\n')
  output.write('two\nthree\n')
  await new Promise((resolve) => setImmediate(resolve))
  expect(dropped).toBe(3)
})

test('the stack of the same error is logged once in ten minutes, and those of other errors as well', () => {
  let nowMs = 0
  const describe = createErrorDescriber(() => nowMs)
  const lost = () => Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' })
  const describeStack = (error: Error) => Object(describe(error)).stack
  expect([describeStack(lost()), describeStack(lost()), describeStack(new TypeError('another'))]).toEqual([
    expect.stringContaining('at '),
    undefined,
    expect.stringContaining('at '),
  ])
  expect(describe(lost())).toEqual({ type: 'Error', message: 'connection refused', code: 'ECONNREFUSED' })
  nowMs += 10 * 60 * 1000
  expect(describeStack(lost())).toContain('at ')
})

test('a log to a closed file descriptor drops lines without an error', () => {
  let dropped = 0
  const closed = createFileOutput(1_000_000, (lines) => {
    dropped += lines
  })
  closed.write('a line\n')
  expect(dropped).toBe(1)
})
