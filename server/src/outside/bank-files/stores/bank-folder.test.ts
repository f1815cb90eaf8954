import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BankFolder, FileIsMissing, FileIsThere } from './bank-folder.ts'
import { createDiskFolder } from './disk-folder.ts'
import { createSftpFolder } from './sftp-folder.ts'
import { type SftpServerForTests, startSftpServer } from './sftp-server.testing.ts'

let server: SftpServerForTests
let diskRoot: string
let sftp: BankFolder
beforeAll(async () => {
  server = await startSftpServer({ hasFsync: true })
  diskRoot = await mkdtemp(join(tmpdir(), 'disk-'))
  sftp = createSftpFolder(placeOf(server))
})
afterAll(async () => {
  await sftp.close()
  await server.close()
  await rm(diskRoot, { recursive: true })
})

const placeOf = ({ port, hostKey }: SftpServerForTests) =>
  ({ host: '127.0.0.1', port, user: 'acme', password: 'secret', hostKey, root: 'share' }) as const

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}

async function contentOf(folder: BankFolder, name: string): Promise<string | undefined> {
  const stream = await folder.open({ folder: 'in', name })
  if (!stream) return undefined
  const found: Buffer[] = []
  for await (const piece of stream) found.push(Buffer.from(piece))
  return Buffer.concat(found).toString()
}

describe.each(['disk', 'SFTP'] as const)('a folder by %s', (kind) => {
  let folder: BankFolder
  let root: string
  beforeEach(async () => {
    root = kind === 'disk' ? diskRoot : join(server.root, 'share')
    folder = kind === 'disk' ? createDiskFolder(root) : sftp
    await rm(root, { recursive: true, force: true })
    for (const name of ['in', 'out', 'done']) await mkdir(join(root, name), { recursive: true })
  })

  test('has what was written, of whatever length, in the place of what was there', async () => {
    const long = 'é'.repeat(100_000)
    await folder.write({ folder: 'in', name: 'a.xml' }, pieces('x'.repeat(300_000)))
    await folder.write({ folder: 'in', name: 'a.xml' }, pieces('one ', long, '', ' two'))
    expect(await contentOf(folder, 'a.xml')).toBe(`one ${long} two`)
    await folder.write({ folder: 'in', name: 'empty' }, pieces())
    expect(await contentOf(folder, 'empty')).toBe('')
    expect(await contentOf(folder, 'none')).toBeUndefined()
  })

  test('lists what is ready, and neither folders nor what is still being written', async () => {
    for (const name of ['b.xml', 'a.xml', '.a.xml.1.part', 'c.xml.part', 'd.filepart', '.hidden', 'e.TMP'])
      await writeFile(join(root, 'in', name), 'text')
    await mkdir(join(root, 'in', 'folder'))
    expect(await folder.list('in')).toEqual([
      { name: 'a.xml', bytes: 4 },
      { name: 'b.xml', bytes: 4 },
    ])
    expect(await folder.parts('in', 'a.xml')).toEqual(['.a.xml.1.part'])
  })

  test('renames over nothing', async () => {
    await folder.write({ folder: 'out', name: 'a' }, pieces('a'))
    await folder.write({ folder: 'done', name: 'b' }, pieces('b'))
    const [from, to] = [
      { folder: 'out', name: 'a' },
      { folder: 'done', name: 'b' },
    ] as const
    await expect(folder.rename(from, to)).rejects.toThrow(FileIsThere)
    expect(await readFile(join(root, 'done', 'b'), 'utf8')).toBe('b')
    await folder.rename(from, { ...to, name: 'c' })
    expect([await folder.exists(from), await folder.exists({ ...to, name: 'c' })]).toEqual([false, true])
    await expect(folder.rename(from, to)).rejects.toThrow(FileIsMissing)
    await expect(folder.rename(from, { ...to, name: 'd' })).rejects.toThrow(FileIsMissing)
  })

  test('removes a file, and one that is gone', async () => {
    await writeFile(join(root, 'in', 'a'), 'a')
    await folder.remove({ folder: 'in', name: 'a' })
    await folder.remove({ folder: 'in', name: 'a' })
    expect(await readdir(join(root, 'in'))).toEqual([])
  })

  test('leads nowhere else', async () => {
    for (const name of ['../a', '..', '.', 'a/b', 'a\\b', 'a\0b', '', 'a\n'])
      await expect(folder.exists({ folder: 'in', name }).then(String, String)).resolves.toMatch(
        /Error: A file name/,
      )
    await expect(folder.list('../..')).rejects.toThrow('leads outside of the share')
  })

  test('a content that fails half-way fails the writing', async () => {
    const failing = (async function* () {
      yield 'half'
      throw new Error('no more')
    })()
    await expect(folder.write({ folder: 'out', name: 'a' }, failing)).rejects.toThrow('no more')
    await folder.write({ folder: 'out', name: 'a' }, pieces('whole'))
    expect(await readFile(join(root, 'out', 'a'), 'utf8')).toBe('whole')
  })
})

describe('SFTP', () => {
  beforeEach(async () => {
    for (const name of ['in', 'out']) await mkdir(join(server.root, 'share', name), { recursive: true })
  })

  test('another host key is refused, before the password is sent', async () => {
    const other = createSftpFolder({ ...placeOf(server), hostKey: `SHA256:${'A'.repeat(43)}` })
    await expect(other.list('in')).rejects.toThrow('a different host key than SHA256:AAAA')
    await expect(other.list('in')).rejects.toThrow('a different host key')
    await other.close()
  })

  test('a wrong password is an error, and the next call tries again', async () => {
    const other = createSftpFolder({ ...placeOf(server), password: 'wrong' })
    await expect(other.list('in')).rejects.toThrow(/authentication/i)
    await expect(other.list('in')).rejects.toThrow(/authentication/i)
    await other.close()
  })

  test('a broken connection fails what was under way, and the next call connects again', async () => {
    const broken = (async function* () {
      for (let piece = 0; piece < 1_000; piece++) {
        if (piece === 3) server.cut()
        yield 'x'.repeat(40_000)
      }
    })()
    await expect(sftp.write({ folder: 'out', name: 'broken' }, broken)).rejects.toThrow()
    await sftp.write({ folder: 'out', name: 'broken' }, pieces('whole'))
    expect(await readFile(join(server.root, 'share', 'out', 'broken'), 'utf8')).toBe('whole')
  })

  test('a server that closed is an error, not a wait', async () => {
    const gone = await startSftpServer({ hasFsync: false })
    const folder = createSftpFolder(placeOf(gone))
    await mkdir(join(gone.root, 'share', 'in'), { recursive: true })
    expect(await folder.list('in')).toEqual([])
    // It has no fsync: the file is written anyway.
    await folder.write({ folder: 'in', name: 'a' }, pieces('a'))
    expect(await readFile(join(gone.root, 'share', 'in', 'a'), 'utf8')).toBe('a')
    await gone.close()
    await expect(folder.list('in')).rejects.toThrow()
    await folder.close()
  })
})
