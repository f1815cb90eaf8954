import * as fs from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { codeOf } from '../../base/formats/thrown-errors.ts'

/**
 * Heartbeat interval of the owner. `SILENCE_MS_MAX` is the time after which a silent owner on another machine
 * counts as dead.
 */
const HEARTBEAT_INTERVAL_MS = 5_000
const SILENCE_MS_MAX = 30_000

export interface Lock {
  release(): void
}

export class LockHeldError extends Error {}

/**
 * The holder of a lock file. A pid is meaningful only on its machine, and only with its start time: pids are reused.
 */
interface Holder {
  readonly pid: number
  /** Clock ticks between the machine's start and the process's; null if the system does not report them. */
  readonly started: string | null
  /**
   * The scope in which the pid is valid: this boot of this machine and this pid namespace (a container has
   * its own).
   */
  readonly machine: string
  /** The folder of the file, as the owner sees it. */
  readonly folder: string
  /** Unique for every acquisition. */
  readonly token: string
}

/**
 * Takes the lock file `path` for this process, also from a dead owner. Throws a one-line error that names the
 * owner's pid and the folder if the owner lives. Calls `onLost` if the file later disappears or belongs to
 * another process, which happens only if this process was frozen for half a minute while another machine
 * started.
 */
export function acquireLock(path: string, onLost: () => void): Lock {
  const own = self(dirname(path))
  const owner = take(path, own)
  if (owner !== undefined) {
    throw new LockHeldError(whyHeld(path, owner, own))
  }
  removeLeftovers(path, own)
  // Writes by descriptor, so that a heartbeat cannot reach the file of a later owner.
  const descriptor = fs.openSync(path, 'r+')
  const heartbeat = setInterval(() => {
    try {
      if (read(path)?.token === own.token) fs.writeSync(descriptor, JSON.stringify(own), 0)
      else onLost()
    } catch {
      // A failure such as no free descriptor is ignored: the next heartbeat comes well before the silence is too long.
    }
  }, HEARTBEAT_INTERVAL_MS).unref()
  return {
    release() {
      clearInterval(heartbeat)
      fs.closeSync(descriptor)
      if (read(path)?.token === own.token) fs.rmSync(path, { force: true })
    },
  }
}

function whyHeld(path: string, owner: Holder, own: Holder): string {
  const folder = dirname(path)
  if (isCopy(path, owner, own))
    return (
      `${folder} is a copy of ${owner.folder}, which process ${owner.pid} has open: files copied while it runs may be ` +
      `inconsistent. Copy it while that process is stopped, or remove ${path} if it was`
    )
  if (owner.machine !== own.machine)
    return (
      `process ${owner.pid} of another machine or container was running on ${folder} less than ` +
      `${SILENCE_MS_MAX / 1_000} seconds ago: stop it first, or wait if it is gone`
    )
  return (
    `process ${owner.pid} is already running on ${folder}: ` +
    'stop it first, or choose another folder with COUNTERSIGN_DATA_DIR'
  )
}

/** True if the owner's own lock is another file with the same content. */
function isCopy(path: string, owner: Holder, own: Holder): boolean {
  if (owner.machine !== own.machine || owner.folder === own.folder) return false
  const original = join(owner.folder, basename(path))
  const inode = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.ino
  return inode(original) !== inode(path) && read(original)?.token === owner.token
}

/**
 * Takes `path` or returns the living holder. Replacing a dead holder needs a claim, which is a lock of the
 * same kind named after the dead one: if two starters find it dead, only one gets the claim, and a later one
 * sees that the file has changed since. A claim whose owner died is taken over in the same way.
 */
function take(path: string, own: Holder): Holder | undefined {
  for (;;) {
    if (create(path, own)) return undefined
    const holder = read(path)
    if (holder === undefined) continue
    if (isAlive(holder, path, own)) return holder
    const claim = `${path}.${holder.token}`
    const rival = take(claim, own)
    if (rival !== undefined) return rival
    try {
      if (read(path)?.token === holder.token) {
        fs.renameSync(writeTemporary(path, own), path)
        return undefined
      }
    } finally {
      fs.rmSync(claim, { force: true })
    }
  }
}

/** A link appears with its whole content or not at all, unlike a file created and then written. */
function create(path: string, own: Holder): boolean {
  const temporary = writeTemporary(path, own)
  try {
    fs.linkSync(temporary, path)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    return createWithoutLink(path, own)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

/** For file systems without hard links. */
function createWithoutLink(path: string, own: Holder): boolean {
  try {
    fs.writeFileSync(path, JSON.stringify(own), { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function writeTemporary(path: string, own: Holder): string {
  const temporary = `${path}.${own.token}.new`
  fs.writeFileSync(temporary, JSON.stringify(own), { flush: true })
  return temporary
}

function read(path: string): Holder | undefined {
  let text: string
  try {
    text = fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const holder: unknown = JSON.parse(text)
    if (isHolder(holder)) return holder
  } catch {}
  throw new Error(`${path} cannot be read as a lock: remove it if no other process is using ${dirname(path)}`)
}

function isAlive(holder: Holder, path: string, own: Holder): boolean {
  if (holder.machine !== own.machine) return isBeating(path, own)
  const process = processOf(holder.pid)
  return process !== undefined && process.started === holder.started
}

/** Both times are from the file system, so the clocks of two machines need not agree. */
function isBeating(path: string, own: Holder): boolean {
  const temporary = writeTemporary(path, own)
  try {
    const silenceMs =
      fs.statSync(temporary).mtimeMs - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    return silenceMs < SILENCE_MS_MAX
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

/** Removes claims and temporary files of killed processes. */
function removeLeftovers(path: string, own: Holder): void {
  const folder = dirname(path)
  const prefix = `${path.slice(folder.length + 1)}.`
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue
    const leftover = `${folder}/${name}`
    try {
      const holder = read(leftover)
      if (holder !== undefined && !isAlive(holder, leftover, own)) fs.rmSync(leftover, { force: true })
    } catch {
      // Another starter is writing it now.
    }
  }
}

function self(folder: string): Holder {
  const { pid } = process
  return {
    pid,
    folder: fs.realpathSync(folder),
    started: processOf(pid)?.started ?? null,
    machine: `${firstLine('/proc/sys/kernel/random/boot_id') ?? hostname()} ${linkTarget('/proc/self/ns/pid') ?? ''}`,
    token: `${pid}-${process.hrtime.bigint().toString(36)}`,
  }
}

/** The process with this pid. Undefined if it does not exist or is a zombie. */
function processOf(pid: number): { started: string | null } | undefined {
  const line = firstLine(`/proc/${pid}/stat`)
  if (line !== undefined) {
    // proc(5): the name in parentheses may contain anything; the state comes right after it, the start time
    // is field 22.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { started: fields[19] ?? null }
  }
  if (fs.existsSync('/proc/self/stat')) return undefined
  try {
    process.kill(pid, 0)
    return { started: null }
  } catch (error) {
    // EPERM: the process lives and belongs to another user.
    return codeOf(error) === 'EPERM' ? { started: null } : undefined
  }
}

function firstLine(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8').split('\n')[0]
  } catch {
    return undefined
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

function isHolder(value: unknown): value is Holder {
  return isObject(value) && Number.isInteger(value.pid) && /^[\w-]+$/.test(String(value.token ?? ''))
}
