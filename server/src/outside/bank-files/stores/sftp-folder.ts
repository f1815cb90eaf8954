import { createHash, timingSafeEqual } from 'node:crypto'
import { connect } from 'node:net'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { SFTPWrapper } from 'ssh2'
import type SftpClient from 'ssh2-sftp-client'
import {
  type BankFolder,
  FileAlreadyExists,
  FileNotFound,
  type FolderPath,
  isPartOf,
  isReady,
  type Piece,
  toFilePath,
  toFolderPath,
} from './bank-folder.ts'

/** The timeout for connecting, and the interval of keep-alive checks on an idle connection. */
const CONNECT_MS_MAX = 15_000
const ALIVE_MS = 5_000
const ALIVE_COUNT_MAX = 4
const PIECE_BYTES = 32 * 1024

export interface SftpPlace {
  readonly host: string
  readonly port: number
  readonly user: string
  /**
   * The fingerprint of the server's host key, as printed by `ssh-keygen -l`: `SHA256:` and 43 characters. No
   * other key is accepted.
   */
  readonly hostKey: string
  readonly password?: string
  /** A private key in PEM or OpenSSH format, and its passphrase. */
  readonly privateKey?: string
  readonly passphrase?: string
  /** The folder on the server that contains the configured folders. Empty for the user's home directory. */
  readonly root: string
}

interface Connection {
  readonly client: SftpClient
  readonly sftp: SFTPWrapper
  /** Aborts when the connection breaks, because the library never settles pending calls. */
  readonly broken: AbortSignal
}

/**
 * Creates a folder on a bank's SFTP server. Connects when used, and reconnects after the connection breaks;
 * pending calls then throw. Subfolders must exist, because banks create them.
 */
export function createSftpFolder(place: SftpPlace): BankFolder {
  const connections = new Connections(place)
  const root = place.root || '.'
  const toPath = (path: FolderPath) => toFilePath(root, path)
  const listFolder = (folder: string) =>
    connections.use(({ client }) => client.list(toFolderPath(root, folder)))
  const exists = async ({ client }: Connection, path: FolderPath) =>
    (await client.exists(toPath(path))) !== false
  return {
    async list(folder) {
      return (await listFolder(folder))
        .filter(({ type, name }) => type === '-' && isReady(name))
        .map(({ name, size }) => ({ name, bytes: size }))
        .sort((one, other) => (one.name < other.name ? -1 : 1))
    },
    async parts(folder, name) {
      const names = (await listFolder(folder)).map((file) => file.name)
      return names.filter((file) => isPartOf(file, name)).sort()
    },
    open: (path) =>
      connections.use(async (connection) => {
        if (!(await exists(connection, path))) return undefined
        return addAbortSignal(connection.broken, connection.client.createReadStream(toPath(path)))
      }),
    exists: (path) => connections.use((connection) => exists(connection, path)),
    write: (path, pieces) => connections.use((connection) => write(connection, toPath(path), pieces)),
    rename: (from, to) =>
      connections.use(async (connection) => {
        if (!(await exists(connection, from))) throw new FileNotFound(from.name)
        // File names are unique, so no other process creates this file between the check and the rename.
        if (await exists(connection, to)) throw new FileAlreadyExists(to.name)
        await connection.client.rename(toPath(from), toPath(to))
      }),
    remove: async (path) => {
      await connections.use(({ client }) => client.delete(toPath(path), true))
    },
    close: () => connections.close(),
  }
}

async function write(
  { client, sftp, broken }: Connection,
  path: string,
  pieces: AsyncIterable<Piece>,
): Promise<void> {
  let bytes = 0
  const counted = Readable.from(splitPieces(pieces, (count) => (bytes += count)))
  const file = client.createWriteStream(path, { flags: 'w' })
  // The library emits one of these events once the server has closed the file.
  const closed = new Promise((resolve) => file.once('close', resolve).once('error', resolve))
  try {
    await pipeline(counted, file, { signal: broken })
  } catch (error) {
    // Data sent earlier is still being written, and could otherwise end up in the file of the next attempt.
    await closed
    throw error
  }
  await flush(sftp, path)
  const { size } = await client.stat(path)
  if (size !== bytes) throw new Error(`The server stored ${size} of ${bytes} bytes`)
}

/** Keeps one connection and replaces it after it breaks. */
class Connections {
  readonly #place: SftpPlace
  #connection: Promise<Connection> | undefined

  constructor(place: SftpPlace) {
    this.#place = place
  }

  #get(): Promise<Connection> {
    this.#connection ??= this.#connect()
    return this.#connection
  }

  /** Runs work that is aborted if the connection breaks. */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await this.#get()
    const { broken } = connection
    let reportBreak: () => void = () => undefined
    const isBroken = new Promise<never>((_, reject) => {
      reportBreak = () => reject(new Error('The connection to the SFTP server broke'))
      if (broken.aborted) reportBreak()
      else broken.addEventListener('abort', reportBreak)
    })
    try {
      return await Promise.race([work(connection), isBroken])
    } finally {
      broken.removeEventListener('abort', reportBreak)
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    this.#connection = undefined
    await connection?.client.end().catch(() => undefined)
  }

  async #connect(): Promise<Connection> {
    const { host, port, user, hostKey, password, privateKey, passphrase } = this.#place
    const abortController = new AbortController()
    const dropConnection = () => {
      if (!abortController.signal.aborted) this.#connection = undefined
      abortController.abort()
    }
    // Loaded lazily: most servers have no SFTP folder, and the library adds an eighth to the loading time.
    const { default: Client } = await import('ssh2-sftp-client')
    // Without these handlers, the library prints to the console. Pending calls are rejected anyway.
    const client = new Client('countersign', {
      error: dropConnection,
      end: dropConnection,
      close: dropConnection,
    })
    let isWrongKey = false
    try {
      const sftp = await client.connect({
        // Requests are small and wait for their responses, so Nagle's algorithm would delay each by 40 ms.
        sock: connect({ host, port, noDelay: true }),
        username: user,
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined
          ? {}
          : { privateKey, ...(passphrase === undefined ? {} : { passphrase }) }),
        hostVerifier: (key: Buffer) => {
          isWrongKey = !hasFingerprint(key, hostKey)
          return !isWrongKey
        },
        readyTimeout: CONNECT_MS_MAX,
        keepaliveInterval: ALIVE_MS,
        keepaliveCountMax: ALIVE_COUNT_MAX,
      })
      return { client, sftp, broken: abortController.signal }
    } catch (error) {
      dropConnection()
      await client.end().catch(() => undefined)
      if (isWrongKey) throw new Error(`The SFTP server ${host} has a different host key than ${hostKey}`)
      throw error
    }
  }
}

function hasFingerprint(key: Buffer, fingerprint: string): boolean {
  const expected = Buffer.from(fingerprint.replace(/^SHA256:/, ''), 'base64')
  const found = createHash('sha256').update(key).digest()
  return expected.length === found.length && timingSafeEqual(expected, found)
}

async function* splitPieces(
  pieces: AsyncIterable<Piece>,
  count: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece)
    count(bytes.length)
    // Each chunk becomes one write request of the protocol.
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
  }
}

/**
 * Flushes a file if the server supports this OpenSSH extension. Other servers do not guarantee durability.
 */
async function flush(sftp: SFTPWrapper, path: string): Promise<void> {
  const handle = await new Promise<Buffer>((resolve, reject) =>
    sftp.open(path, 'r+', (error, opened) => (error ? reject(error) : resolve(opened))),
  )
  try {
    await new Promise<void>((resolve, reject) =>
      sftp.ext_openssh_fsync(handle, (error) => (error ? reject(error) : resolve())),
    )
  } catch (error) {
    if (!isUnsupported(error)) throw error
  } finally {
    await new Promise<void>((resolve) => sftp.close(handle, () => resolve()))
  }
}

function isUnsupported(error: unknown): boolean {
  const isMissing = error instanceof Error && /does not support this extended request/.test(error.message)
  // Status 8: the operation is not supported.
  return isMissing || (error instanceof Error && 'code' in error && error.code === 8)
}
