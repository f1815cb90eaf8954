import { crc32, deflateRawSync } from 'node:zlib'

/** ZIP files as EBICS servers write them, for tests. */

export interface SampleZipFile {
  readonly name: string
  readonly content: string | Uint8Array
  /** Written instead of the true checksum. */
  readonly crc?: number
  /** Written instead of the true size. */
  readonly size?: number
}

export function zipOf(files: readonly SampleZipFile[]): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, crc, size } of files) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc ?? crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(size ?? bytes.length, 18)
    facts.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), facts, place, Buffer.from(name)]))
    pieces.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(
    directory.reduce((sum, one) => sum + one.length, 0),
    8,
  )
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...pieces, ...directory, Buffer.from('PK\u0005\u0006'), end])
}
