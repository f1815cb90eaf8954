// The embedded database: PGlite in its own thread. It speaks PostgreSQL's wire protocol, so client, value
// types and errors are the same as with a PostgreSQL server. Plain JavaScript, because it runs unchanged both
// in the source tree and next to a bundle.
import * as fs from 'node:fs'
import * as path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

const SETTINGS = [
  'fsync=on',
  // The default, fdatasync, does nothing in PGlite.
  'wal_sync_method=fsync',
  // PGlite's default of 128 MB stays resident once used.
  'shared_buffers=32MB',
  'max_connections=5',
  'min_wal_size=32MB',
  // More than the log of one checkpoint interval, so that log files are reused instead of being removed and
  // created again.
  'max_wal_size=256MB',
  // The WebAssembly build has no JIT compiler.
  'jit=off',
]

/** A table is vacuumed once its dead or changed rows exceed a fixed number plus a share of its rows. */
const VACUUM_DUE = `
  SELECT quote_ident(schemaname) || '.' || quote_ident(relname) AS name FROM pg_stat_all_tables
  WHERE schemaname NOT LIKE 'pg_toast%'
  AND greatest(n_dead_tup, n_mod_since_analyze) > 500 + 0.1 * n_live_tup`

/** @type {{ directory: string, code?: WebAssembly.Module, checkpointIntervalMs: number, vacuumIntervalMs: number }} */
const { directory, checkpointIntervalMs, vacuumIntervalMs, ...options } = workerData ?? {
  directory: process.argv[2],
}
// Receives Uint8Arrays with whole frontend messages, 'hold' and 'release' around a copy of the files, or
// 'close'. Sends Uint8Arrays with backend messages, or { event, … }. The first event, `open`, has the
// compiled engine in `code`, for the next thread of the process.
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)

/** PostgreSQL's last log lines. @type {string[]} */
const logLines = []

/** Counts syncs. Every acknowledged write syncs, so an unchanged count means that no maintenance is due. */
let syncs = 0

/**
 * PGlite's own NodeFS has no fsync, so PostgreSQL's calls would succeed without effect. Here they sync the
 * file.
 */
class DurableNodeFS extends NodeFS {
  /** @type {NodeFS['init']} */
  async init(pg, options) {
    const { emscriptenOpts } = await super.init(pg, options)
    // PostgreSQL panicked because it could not write or sync its log. PGlite would keep calling it.
    Object.assign(emscriptenOpts, {
      onAbort: () => stop(logLines.findLast((line) => line.includes('PANIC')) ?? 'aborted'),
    })
    emscriptenOpts.preRun?.push((module) => {
      const { NODEFS } = /** @type {any} */ (module)
      NODEFS.stream_ops.fsync = (/** @type {any} */ stream) => {
        // tryFSOperation turns an error into its errno, on which PostgreSQL stops instead of acknowledging.
        NODEFS.tryFSOperation(() => {
          if (stream.nfd === undefined) syncPath(NODEFS.realPath(stream.node))
          else fs.fsyncSync(stream.nfd)
        })
        syncs += 1
        return 0
      }
    })
    return { emscriptenOpts }
  }
}

/** @param {string} file a file or a directory */
function syncPath(file) {
  const descriptor = fs.openSync(file, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** @param {string} message @returns {never} */
function stop(message) {
  if (isMainThread) process.stderr.write(`${message}\n`)
  else port.postMessage({ event: 'failed', message })
  process.exit(1)
}

// When run as a program, `node embedded-worker.mjs <directory>` creates the files of a new database and
// exits. This takes three times the memory of a running database, and only the end of the process releases
// it.
if (isMainThread) {
  // Otherwise half of the time would be spent optimizing code that runs once.
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
  // stdin closes when the parent process dies, which needs the files.
  process.stdin.resume().on('end', () => process.exit(1))
} else {
  // Fifty times V8's default, so that only hot functions are optimized. Otherwise startup takes 0.7 s and 40
  // MB more.
  setFlagsFromString('--wasm-tiering-budget=100000000')
}

const pgliteWasmModule = options.code ?? (await compileEngine())

function compileEngine() {
  const file = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'))
  return WebAssembly.compile(fs.readFileSync(file))
}

const database = await PGlite.create({
  pgliteWasmModule,
  fs: new DurableNodeFS(directory),
  startParams: [
    // -F means fsync=off.
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    ...SETTINGS.flatMap((setting) => ['-c', setting]),
  ],
  onStderr: (line) => {
    if (logLines.push(line.trim()) > 5) logLines.shift()
    return true
  },
}).catch((/** @type {Error} */ error) => stop([error.message, ...logLines].join(' | ')))

if (isMainThread) {
  await database.close()
  // Creating the files bypasses PostgreSQL's own syncs.
  for (const entry of fs.readdirSync(directory, { recursive: true }))
    syncPath(path.join(directory, String(entry)))
  syncPath(directory)
  process.exit(0)
}
serve()

function serve() {
  // Maintenance and closing run one after another, because statements of PGlite's own interface must not
  // interleave.
  let maintenance = Promise.resolve()
  const maintain = (/** @type {() => Promise<void>} */ run) => {
    maintenance = maintenance
      .then(run)
      .catch((error) => port.postMessage({ event: 'warning', message: String(error) }))
    return maintenance
  }
  const timers = [
    setInterval(() => maintain(checkpoint), checkpointIntervalMs).unref(),
    setInterval(() => maintain(vacuum), vacuumIntervalMs).unref(),
  ]
  port.on('message', (message) => {
    if (message === 'hold') return hold(maintain)
    if (message === 'release') return release()
    if (message !== 'close') return respond(message)
    for (const timer of timers) clearInterval(timer)
    maintain(checkpoint).then(async () => {
      await database.close()
      port.postMessage({ event: 'closed' })
      port.close()
    })
  })
  port.postMessage({ event: 'open', code: pgliteWasmModule })
}

/** @param {Uint8Array} bytes */
function respond(bytes) {
  for (const group of splitGroups(bytes)) {
    /** @type {Uint8Array[]} */
    const parts = []
    if (group[0] === 0) parts.push(database.execProtocolRawSync(group))
    // Finishes before it returns. Its promise rejects only after a fatal error of PostgreSQL.
    else
      database.execProtocolRawStream(group, {
        syncToFs: false,
        onRawData: (part) => parts.push(part.slice()),
      })
    const reply =
      parts.length === 1 ? /** @type {Uint8Array} */ (parts[0]) : new Uint8Array(Buffer.concat(parts))
    port.postMessage(reply, [/** @type {ArrayBuffer} */ (reply.buffer)])
  }
}

/**
 * Splits messages into groups. A group is the startup message, which has no type byte, or ends with Sync or
 * Query. It is one statement with its commit, whose response is sent before the next group runs.
 * @param {Uint8Array} bytes
 */
function* splitGroups(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes[0] === 0) return yield bytes
  let start = 0
  for (let offset = 0; offset < bytes.length; ) {
    const type = bytes[offset]
    offset += 1 + view.getUint32(offset + 1)
    if (type !== 0x53 && type !== 0x51) continue
    yield bytes.subarray(start, offset)
    start = offset
  }
}

let syncsAtCheckpoint = 0
let syncsAtVacuum = 0

/** The number of copies in progress. A checkpoint would remove log files that they need. */
let copies = 0

/**
 * Starts a copy with a checkpoint, at which recovery of the copy begins. If the checkpoint fails, recovery
 * begins at the previous one. @param {(run: () => Promise<void>) => Promise<void>} maintain
 */
async function hold(maintain) {
  await maintain(() =>
    checkpoint().finally(() => {
      copies += 1
    }),
  )
  port.postMessage({ event: 'held' })
}

function release() {
  copies -= 1
}

/** There is no background checkpointer: without this the log would grow for as long as the process runs. */
async function checkpoint() {
  if (syncs === syncsAtCheckpoint || copies > 0) return
  await database.exec('CHECKPOINT')
  syncsAtCheckpoint = syncs
}

/**
 * There is no autovacuum either. Vacuums one table at a time, so that waiting statements can run in between.
 */
async function vacuum() {
  if (syncs === syncsAtVacuum) return
  syncsAtVacuum = syncs
  const [due] = await database.exec(VACUUM_DUE)
  for (const { name } of due?.rows ?? []) {
    await setImmediate()
    await database.exec(`VACUUM (ANALYZE) ${name}`)
  }
}
