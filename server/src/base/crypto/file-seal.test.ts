import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import { countSealedBytes, openStream, SealedFileError, sealStream } from './file-seal.ts'

const KIB_64 = 64 * 1024
const SEALED_CHUNK = KIB_64 + 16
const KEY = Buffer.alloc(32, 7)

/** The bytes in pieces, which need not match the chunks. */
function inPieces(bytes: Uint8Array, size: number): Buffer[] {
  const whole = Buffer.from(bytes)
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
    whole.subarray(at * size, (at + 1) * size),
  )
}

async function through(
  stream: ReturnType<typeof sealStream>,
  bytes: Uint8Array,
  size = 10_007,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  await pipeline(Readable.from(inPieces(bytes, size)), stream, async (source) => {
    for await (const chunk of source) chunks.push(chunk as Buffer)
  })
  return Buffer.concat(chunks)
}

const seal = (bytes: Uint8Array, name = 'File:1', key = KEY) => through(sealStream(key, name), bytes)
const open = (bytes: Uint8Array, name = 'File:1', key = KEY) => through(openStream(key, name), bytes, 30_011)

test.each([0, 1, KIB_64 - 1, KIB_64, KIB_64 + 1, 2 * KIB_64, 5 * KIB_64 + 17])(
  'a sealed file of %i bytes opens unchanged, and has the predicted length',
  async (length) => {
    const bytes = randomBytes(length)
    const sealed = await seal(bytes)
    expect(sealed).toHaveLength(countSealedBytes(length))
    expect((await open(sealed)).equals(bytes)).toBe(true)
    if (length > 16) expect(sealed.includes(bytes.subarray(0, 16))).toBe(false)
  },
)

describe('a sealed file does not open', () => {
  const whole = randomBytes(3 * KIB_64 + 100)
  const splitChunks = (sealed: Buffer) => inPieces(sealed, SEALED_CHUNK)
  const CHANGES: readonly (readonly [description: string, change: (sealed: Buffer) => Buffer])[] = [
    [
      'with a changed byte',
      (sealed) =>
        Buffer.concat([sealed.subarray(0, 70_000), Buffer.of(sealed[70_000]! ^ 1), sealed.subarray(70_001)]),
    ],
    ['without its last byte', (sealed) => sealed.subarray(0, -1)],
    ['cut off between two chunks', (sealed) => sealed.subarray(0, 2 * SEALED_CHUNK)],
    ['with nothing left', () => Buffer.alloc(0)],
    [
      'with two chunks swapped',
      (sealed) => {
        const [a, b, ...rest] = splitChunks(sealed)
        return Buffer.concat([b!, a!, ...rest])
      },
    ],
    [
      'without a chunk in its middle',
      (sealed) => {
        const [a, , ...rest] = splitChunks(sealed)
        return Buffer.concat([a!, ...rest])
      },
    ],
    [
      'with a chunk twice',
      (sealed) => {
        const [a, ...rest] = splitChunks(sealed)
        return Buffer.concat([a!, a!, ...rest])
      },
    ],
    ['with something after its end', (sealed) => Buffer.concat([sealed, Buffer.of(0)])],
  ]
  test.each(CHANGES)('%s', async (_, change) => {
    await expect(open(change(await seal(whole)))).rejects.toThrow(SealedFileError)
  })

  test('under another name or with another key', async () => {
    const sealed = await seal(whole)
    await expect(open(sealed, 'File:2')).rejects.toThrow(SealedFileError)
    await expect(open(sealed, 'File:1', Buffer.alloc(32, 8))).rejects.toThrow(SealedFileError)
  })
})
