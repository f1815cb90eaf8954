import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { findSealedOffset, openStream, SealedFileError, sealStream } from './file-seal.ts'

const KIB = 1024
const key = randomBytes(32)

test.each([
  [1, [0]],
  [64 * KIB, [0, 1, 64 * KIB - 1]],
  [200 * KIB + 7, [0, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 130_000, 192 * KIB, 200 * KIB + 6]],
])('a sealed file of %i bytes can be opened from any byte', async (length, starts) => {
  const file = randomBytes(length)
  const sealed = await buffer(Readable.from([file]).pipe(sealStream(key, 'File:1')))
  for (const from of starts) {
    const rest = Readable.from([sealed.subarray(findSealedOffset(from))])
    expect((await buffer(rest.pipe(openStream(key, 'File:1', from)))).equals(file.subarray(from))).toBe(true)
    // The chunk's position is bound to it.
    const other = Readable.from([sealed.subarray(findSealedOffset(from))])
    const moved = buffer(other.pipe(openStream(key, 'File:1', from + 64 * KIB)))
    await expect(moved).rejects.toThrow(SealedFileError)
  }
})
