import { rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { getErrorMessage } from '../../base/formats/thrown-errors.ts'

/** The server's response to a command. Requests and responses are one line of JSON each. */
type CommandResponse = { readonly result: object } | { readonly error: string }

const LINE_BYTES_MAX = 64 * 1024
/** The maximum time for a request to arrive. Responses have no limit, because a backup takes a while. */
const REQUEST_MS_MAX = 30_000
/** The maximum length of a socket path. The system rejects longer ones as invalid. */
const PATH_BYTES_MAX = 100

/**
 * Accepts operator commands on a socket in the data directory, to which only its owner can connect. The
 * caller holds the embedded database's lock, so a socket left behind by an earlier server is removed.
 * Undefined if the folder's path is too long for a socket.
 */
export async function listenForAdmin(
  dataDir: string,
  run: (args: readonly string[]) => Promise<object>,
): Promise<Server | undefined> {
  const path = findSocketPath(dataDir)
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return undefined
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    respond(socket, run).catch(() => socket.destroy())
  })
  server.maxConnections = 8
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // `listen` creates the socket with the permissions that this mask allows.
    const mask = process.umask(0o177)
    server.listen(path, () => resolve(server.off('error', reject).unref()))
    process.umask(mask)
  })
}

/**
 * Runs a command in the server that uses this data directory. Undefined if none is running. Throws the
 * server's error message.
 */
export async function callServer(dataDir: string, args: readonly string[]): Promise<object | undefined> {
  const path = findSocketPath(dataDir)
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return undefined
  const socket = await connectSocket(path)
  if (!socket) return undefined
  socket.write(`${JSON.stringify(args)}\n`)
  const response: CommandResponse = JSON.parse(await readLine(socket, 'response'))
  if ('error' in response) throw new Error(response.error)
  return response.result
}

async function respond(socket: Socket, run: (args: readonly string[]) => Promise<object>): Promise<void> {
  const args: unknown = JSON.parse(await readLine(socket, 'request'))
  socket.setTimeout(0)
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) return void socket.destroy()
  const response: CommandResponse = await run(args).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: getErrorMessage(error) }),
  )
  socket.end(`${JSON.stringify(response)}\n`)
}

function connectSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(undefined) : reject(error),
    )
  })
}

/** Reads one line. The length of the server's response is not limited. */
function readLine(socket: Socket, kind: 'request' | 'response'): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    if (kind === 'request')
      socket.setTimeout(REQUEST_MS_MAX, () =>
        socket.destroy(new Error('The request did not arrive in time.')),
      )
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (kind === 'request' && text.length > LINE_BYTES_MAX)
        socket.destroy(new Error('The line is too long.'))
      else if (text.endsWith('\n')) resolve(text)
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('The server closed the connection without a response.')))
  })
}

function findSocketPath(dataDir: string): string {
  return join(dataDir, 'admin.sock')
}
