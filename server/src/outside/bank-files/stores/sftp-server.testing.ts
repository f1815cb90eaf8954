import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { type Attributes, Server, type SFTPWrapper, utils } from 'ssh2'

const { STATUS_CODE, OPEN_MODE } = utils.sftp

export interface SftpServerForTests {
  readonly port: number
  readonly hostKey: string
  readonly root: string
  /** The requests to the server, such as `fsync`. */
  readonly asked: string[]
  /** Breaks all connections, like a network failure. */
  cut(): void
  close(): Promise<void>
}

/**
 * A real SSH server with SFTP over its own folder, for one user with a password. It has no fsync by default.
 */
export async function startSftpServer(options: { readonly hasFsync: boolean }): Promise<SftpServerForTests> {
  const root = mkdtempSync(join(tmpdir(), 'sftp-'))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const parsed = utils.parseKey(pem)
  if (parsed instanceof Error) throw parsed
  const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=$/, '')
  const asked: string[] = []
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
          serve(acceptSftp(), root, asked, options.hasFsync)
        })
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: `SHA256:${digest}`,
    root,
    asked,
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

interface Open {
  readonly file?: fs.FileHandle
  names?: { filename: string; longname: string; attrs: Attributes }[]
}

function serve(sftp: SFTPWrapper, root: string, asked: string[], hasFsync: boolean): void {
  const open = new Map<number, Open>()
  let next = 0
  const at = (path: string) => join(root, normalize(`/${path}`))
  const done = (id: number, work: Promise<unknown>) =>
    work.then(
      () => sftp.status(id, STATUS_CODE.OK),
      (error: { code?: string }) =>
        sftp.status(id, error.code === 'ENOENT' ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE),
    )
  const failed = (id: number) => (error: { code?: string }) =>
    sftp.status(id, error.code === 'ENOENT' ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.FAILURE)
  const give = (id: number, what: Open) => {
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(next)
    open.set(next++, what)
    sftp.handle(id, handle)
  }
  const held = (handle: Buffer) => open.get(handle.readUInt32BE(0))
  let isGone = false
  sftp.once('close', () => {
    isGone = true
    for (const { file } of open.values()) void file?.close()
  })
  const attributes = async (path: string) => attributesOf(await fs.stat(path))

  sftp.on('OPEN', (id, path, flags) => {
    const mode = flags & OPEN_MODE.TRUNC ? 'w' : flags & OPEN_MODE.WRITE ? 'r+' : 'r'
    fs.open(at(path), mode).then((file) => (isGone ? file.close() : give(id, { file })), failed(id))
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    asked.push('write')
    void done(id, held(handle)!.file!.write(data, 0, data.length, offset))
  })
  sftp.on('READ', (id, handle, offset, length) => {
    held(handle)!
      .file!.read(Buffer.alloc(length), 0, length, offset)
      .then(
        ({ bytesRead, buffer }) =>
          bytesRead === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.data(id, buffer.subarray(0, bytesRead)),
        failed(id),
      )
  })
  sftp.on('CLOSE', (id, handle) => {
    const file = held(handle)?.file
    open.delete(handle.readUInt32BE(0))
    void done(id, file?.close() ?? Promise.resolve())
  })
  const stat = (id: number, path: string) =>
    attributes(at(path)).then((found) => sftp.attrs(id, found), failed(id))
  sftp.on('STAT', (id, path) => void stat(id, path))
  sftp.on('LSTAT', (id, path) => void stat(id, path))
  sftp.on('FSTAT', (id, handle) => {
    held(handle)!
      .file!.stat()
      .then((found) => sftp.attrs(id, attributesOf(found)), failed(id))
  })
  sftp.on('OPENDIR', (id, path) => {
    fs.readdir(at(path))
      .then((names) =>
        Promise.all(
          names.map(async (filename) => {
            const attrs = await attributes(join(at(path), filename))
            const isFolder = (attrs.mode & 0o170000) === 0o040000
            return { filename, longname: `${isFolder ? 'd' : '-'}rw-r--r-- 1 acme acme`, attrs }
          }),
        ),
      )
      .then((names) => give(id, { names }), failed(id))
  })
  sftp.on('READDIR', (id, handle) => {
    const folder = held(handle)!
    const { names } = folder
    delete folder.names
    if (names === undefined || names.length === 0) sftp.status(id, STATUS_CODE.EOF)
    else sftp.name(id, names)
  })
  sftp.on('REMOVE', (id, path) => void done(id, fs.rm(at(path))))
  sftp.on('REALPATH', (id, path) => {
    const attrs = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 }
    sftp.name(id, [{ filename: normalize(`/${path}`), longname: '', attrs }])
  })
  sftp.on('RENAME', (id, from, to) => {
    const renamed = fs.stat(at(to)).then(
      () => Promise.reject(new Error('is there')),
      () => fs.rename(at(from), at(to)),
    )
    void done(id, renamed)
  })
  sftp.on('EXTENDED', (id, name) => {
    asked.push(name)
    sftp.status(id, hasFsync ? STATUS_CODE.OK : STATUS_CODE.OP_UNSUPPORTED)
  })
}

function attributesOf({
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
