import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { type Attributes, Server, type SFTPWrapper, utils } from 'ssh2'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BankFolder, FileAlreadyExists, FileNotFound } from './bank-folder.ts'
import { createDiskFolder } from './disk-folder.ts'
import { createSftpFolder } from './sftp-folder.ts'

let server: SftpServerForTests
let diskRoot: string
let sftp: BankFolder
beforeAll(async () => {
  server = await startSftpServer({ hasFsync: true })
  diskRoot = await mkdtemp(join(tmpdir(), 'disk-'))
  sftp = createSftpFolder(toPlace(server))
})
afterAll(async () => {
  await sftp.close()
  await server.close()
  await rm(diskRoot, { recursive: true })
})

const toPlace = ({ port, hostKey }: SftpServerForTests) =>
  ({ host: '127.0.0.1', port, user: 'acme', password: 'secret', hostKey, root: 'share' }) as const

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}

async function readContent(folder: BankFolder, name: string): Promise<string | undefined> {
  const stream = await folder.open({ folder: 'in', name })
  if (!stream) return undefined
  const found: Buffer[] = []
  for await (const piece of stream) found.push(Buffer.from(piece))
  return Buffer.concat(found).toString()
}

describe.each(['disk', 'SFTP'] as const)('a bank folder on %s', (kind) => {
  let folder: BankFolder
  let root: string
  beforeEach(async () => {
    root = kind === 'disk' ? diskRoot : join(server.root, 'share')
    folder = kind === 'disk' ? createDiskFolder(root) : sftp
    await rm(root, { recursive: true, force: true })
    for (const name of ['in', 'out', 'done']) await mkdir(join(root, name), { recursive: true })
  })

  test('replaces an existing file with the written content of any length', async () => {
    const long = 'é'.repeat(100_000)
    await folder.write({ folder: 'in', name: 'a.xml' }, pieces('x'.repeat(300_000)))
    await folder.write({ folder: 'in', name: 'a.xml' }, pieces('one ', long, '', ' two'))
    expect(await readContent(folder, 'a.xml')).toBe(`one ${long} two`)
    await folder.write({ folder: 'in', name: 'empty' }, pieces())
    expect(await readContent(folder, 'empty')).toBe('')
    expect(await readContent(folder, 'none')).toBeUndefined()
  })

  test('lists complete files, but neither folders nor incomplete files', async () => {
    for (const name of ['b.xml', 'a.xml', '.a.xml.1.part', 'c.xml.part', 'd.filepart', '.hidden', 'e.TMP'])
      await writeFile(join(root, 'in', name), 'text')
    await mkdir(join(root, 'in', 'folder'))
    expect(await folder.list('in')).toEqual([
      { name: 'a.xml', bytes: 4 },
      { name: 'b.xml', bytes: 4 },
    ])
    expect(await folder.parts('in', 'a.xml')).toEqual(['.a.xml.1.part'])
  })

  test('never overwrites a file by renaming another one', async () => {
    await folder.write({ folder: 'out', name: 'a' }, pieces('a'))
    await folder.write({ folder: 'done', name: 'b' }, pieces('b'))
    const [from, to] = [
      { folder: 'out', name: 'a' },
      { folder: 'done', name: 'b' },
    ] as const
    await expect(folder.rename(from, to)).rejects.toThrow(FileAlreadyExists)
    expect(await readFile(join(root, 'done', 'b'), 'utf8')).toBe('b')
    await folder.rename(from, { ...to, name: 'c' })
    expect([await folder.exists(from), await folder.exists({ ...to, name: 'c' })]).toEqual([false, true])
    await expect(folder.rename(from, to)).rejects.toThrow(FileNotFound)
    await expect(folder.rename(from, { ...to, name: 'd' })).rejects.toThrow(FileNotFound)
  })

  test('removes a file and ignores a missing one', async () => {
    await writeFile(join(root, 'in', 'a'), 'a')
    await folder.remove({ folder: 'in', name: 'a' })
    await folder.remove({ folder: 'in', name: 'a' })
    expect(await readdir(join(root, 'in'))).toEqual([])
  })

  test('refuses file and folder names that lead outside of the share', async () => {
    for (const name of ['../a', '..', '.', 'a/b', 'a\\b', 'a\0b', '', 'a\n'])
      await expect(folder.exists({ folder: 'in', name }).then(String, String)).resolves.toMatch(
        /Error: The file name/,
      )
    await expect(folder.list('../..')).rejects.toThrow('leads outside of the share')
  })

  test('fails to write if the content fails halfway', async () => {
    const failing = (async function* () {
      yield 'half'
      throw new Error('no more')
    })()
    await expect(folder.write({ folder: 'out', name: 'a' }, failing)).rejects.toThrow('no more')
    await folder.write({ folder: 'out', name: 'a' }, pieces('whole'))
    expect(await readFile(join(root, 'out', 'a'), 'utf8')).toBe('whole')
  })
})

describe('an SFTP folder', () => {
  beforeEach(async () => {
    for (const name of ['in', 'out']) await mkdir(join(server.root, 'share', name), { recursive: true })
  })

  test('refuses a different host key before it sends the password', async () => {
    const other = createSftpFolder({ ...toPlace(server), hostKey: `SHA256:${'A'.repeat(43)}` })
    await expect(other.list('in')).rejects.toThrow('a different host key than SHA256:AAAA')
    await expect(other.list('in')).rejects.toThrow('a different host key')
    await other.close()
  })

  test('throws on a wrong password and logs in again on the next call', async () => {
    const other = createSftpFolder({ ...toPlace(server), password: 'wrong' })
    await expect(other.list('in')).rejects.toThrow(/authentication/i)
    await expect(other.list('in')).rejects.toThrow(/authentication/i)
    await other.close()
  })

  test('fails pending calls if the connection breaks, and reconnects on the next call', async () => {
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

  test('throws without waiting if the server has closed', async () => {
    const gone = await startSftpServer({ hasFsync: false })
    const folder = createSftpFolder(toPlace(gone))
    await mkdir(join(gone.root, 'share', 'in'), { recursive: true })
    expect(await folder.list('in')).toEqual([])
    // This server does not support fsync, and the file is written anyway.
    await folder.write({ folder: 'in', name: 'a' }, pieces('a'))
    expect(await readFile(join(gone.root, 'share', 'in', 'a'), 'utf8')).toBe('a')
    await gone.close()
    await expect(folder.list('in')).rejects.toThrow()
    await folder.close()
  })
})

const { STATUS_CODE, OPEN_MODE } = utils.sftp

interface SftpServerForTests {
  readonly port: number
  readonly hostKey: string
  readonly root: string
  /** The requests to the server, such as `fsync`. */
  readonly requests: string[]
  /** Breaks all connections, like a network failure. */
  cut(): void
  close(): Promise<void>
}

/** Starts a real SSH server with SFTP over its own folder, for one user with a password. */
async function startSftpServer(options: { readonly hasFsync: boolean }): Promise<SftpServerForTests> {
  const root = mkdtempSync(join(tmpdir(), 'sftp-'))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const parsed = utils.parseKey(pem)
  if (parsed instanceof Error) throw parsed
  const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=$/, '')
  const requests: string[] = []
  const cuts = new Set<() => void>()
  const server = new Server({ hostKeys: [pem] }, (client, _info) => {
    if ('setNoDelay' in client && typeof client.setNoDelay === 'function') client.setNoDelay(true)
    const cut = () => client.end()
    cuts.add(cut)
    client.on('error', () => undefined)
    client.on('close', () => cuts.delete(cut))
    client.on('authentication', (context) =>
      context.method === 'password' && context.username === 'acme' && context.password === 'secret'
        ? context.accept()
        : context.reject(['password']),
    )
    client.on('ready', () => {
      client.on('session', (accept) => {
        accept().on('sftp', (acceptSftp) => {
          serve(acceptSftp(), root, requests, options.hasFsync)
        })
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: `SHA256:${digest}`,
    root,
    requests,
    cut: () => {
      for (const cut of cuts) cut()
    },
    async close() {
      for (const cut of cuts) cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await fs.rm(root, { recursive: true, force: true })
    },
  }
}

interface OpenHandle {
  readonly file?: fs.FileHandle
  names?: { filename: string; longname: string; attrs: Attributes }[]
}

function serve(sftp: SFTPWrapper, root: string, requests: string[], hasFsync: boolean): void {
  const open = new Map<number, OpenHandle>()
  let next = 0
  const toLocal = (path: string) => join(root, normalize(`/${path}`))
  const report = (id: number, work: Promise<unknown>) =>
    work.then(
      () => sftp.status(id, STATUS_CODE.OK),
      (error: { code?: string }) =>
        sftp.status(id, error.code === 'ENOENT' ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE),
    )
  const reportFailure = (id: number) => (error: { code?: string }) =>
    sftp.status(id, error.code === 'ENOENT' ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE)
  const sendHandle = (id: number, opened: OpenHandle) => {
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(next)
    open.set(next++, opened)
    sftp.handle(id, handle)
  }
  const findOpen = (handle: Buffer) => open.get(handle.readUInt32BE(0))
  let isGone = false
  sftp.once('close', () => {
    isGone = true
    for (const { file } of open.values()) void file?.close()
  })
  const attributes = async (path: string) => toAttributes(await fs.stat(path))

  sftp.on('OPEN', (id, path, flags) => {
    const mode = flags & OPEN_MODE.TRUNC ? 'w' : flags & OPEN_MODE.WRITE ? 'r+' : 'r'
    fs.open(toLocal(path), mode).then(
      (file) => (isGone ? file.close() : sendHandle(id, { file })),
      reportFailure(id),
    )
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    requests.push('write')
    void report(id, findOpen(handle)!.file!.write(data, 0, data.length, offset))
  })
  sftp.on('READ', (id, handle, offset, length) => {
    findOpen(handle)!
      .file!.read(Buffer.alloc(length), 0, length, offset)
      .then(
        ({ bytesRead, buffer }) =>
          bytesRead === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.data(id, buffer.subarray(0, bytesRead)),
        reportFailure(id),
      )
  })
  sftp.on('CLOSE', (id, handle) => {
    const file = findOpen(handle)?.file
    open.delete(handle.readUInt32BE(0))
    void report(id, file?.close() ?? Promise.resolve())
  })
  const stat = (id: number, path: string) =>
    attributes(toLocal(path)).then((found) => sftp.attrs(id, found), reportFailure(id))
  sftp.on('STAT', (id, path) => void stat(id, path))
  sftp.on('LSTAT', (id, path) => void stat(id, path))
  sftp.on('FSTAT', (id, handle) => {
    findOpen(handle)!
      .file!.stat()
      .then((found) => sftp.attrs(id, toAttributes(found)), reportFailure(id))
  })
  sftp.on('OPENDIR', (id, path) => {
    fs.readdir(toLocal(path))
      .then((names) =>
        Promise.all(
          names.map(async (filename) => {
            const attrs = await attributes(join(toLocal(path), filename))
            const isFolder = (attrs.mode & 0o170000) === 0o040000
            return { filename, longname: `${isFolder ? 'd' : '-'}rw-r--r-- 1 acme acme`, attrs }
          }),
        ),
      )
      .then((names) => sendHandle(id, { names }), reportFailure(id))
  })
  sftp.on('READDIR', (id, handle) => {
    const folder = findOpen(handle)!
    const { names } = folder
    delete folder.names
    if (names === undefined || names.length === 0) sftp.status(id, STATUS_CODE.EOF)
    else sftp.name(id, names)
  })
  sftp.on('REMOVE', (id, path) => void report(id, fs.rm(toLocal(path))))
  sftp.on('REALPATH', (id, path) => {
    const attrs = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 }
    sftp.name(id, [{ filename: normalize(`/${path}`), longname: '', attrs }])
  })
  sftp.on('RENAME', (id, from, to) => {
    const renamed = fs.stat(toLocal(to)).then(
      () => Promise.reject(new Error('The target exists.')),
      () => fs.rename(toLocal(from), toLocal(to)),
    )
    void report(id, renamed)
  })
  sftp.on('EXTENDED', (id, name) => {
    requests.push(name)
    sftp.status(id, hasFsync ? STATUS_CODE.OK : STATUS_CODE.OP_UNSUPPORTED)
  })
}

function toAttributes({
  mode,
  uid,
  gid,
  size,
  atimeMs,
  mtimeMs,
}: Awaited<ReturnType<typeof fs.stat>>): Attributes {
  const seconds = (ms: number | bigint) => Math.floor(Number(ms) / 1000)
  return {
    mode: Number(mode),
    uid: Number(uid),
    gid: Number(gid),
    size: Number(size),
    atime: seconds(atimeMs),
    mtime: seconds(mtimeMs),
  }
}
