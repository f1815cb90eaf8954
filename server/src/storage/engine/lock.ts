import * as fs from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { getErrorCode } from '../../base/formats/thrown-errors.ts'

/**
 * The interval at which the owner updates the lock file. An owner on another machine counts as dead if it has
 * been silent for `SILENCE_MS_MAX`.
 */
const HEARTBEAT_INTERVAL_MS = 5_000
const SILENCE_MS_MAX = 30_000

export interface Lock {
  release(): void
}

export class LockHeldError extends Error {}

/**
 * The process that holds a lock. A pid is valid only on its machine and together with its start time, because
 * pids are reused.
 */
interface Holder {
  readonly pid: number
  /**
   * Clock ticks from the start of the machine to the start of the process. Null if the system does not report
   * it.
   */
  readonly started: string | null
  /**
   * The scope in which the pid is valid: this boot of this machine, and this pid namespace (each container
   * has its own).
   */
  readonly machine: string
  /** The folder of the lock file, as the owner sees it. */
  readonly folder: string
  /** Unique for each acquisition. */
  readonly token: string
}

/**
 * Acquires the lock file `path` for this process, taking it over from a dead owner. If the owner is alive,
 * throws a one-line error with its pid and the folder. Calls `onLost` if the file disappears or is taken
 * over, which happens only if this process was frozen for half a minute while another machine started.
 */
export function acquireLock(path: string, onLost: () => void): Lock {
  const self = describeSelf(dirname(path))
  const owner = acquire(path, self)
  if (owner !== undefined) {
    throw new LockHeldError(describeConflict(path, owner, self))
  }
  removeLeftovers(path, self)
  // Writes through the descriptor, so that a heartbeat can never reach the file of a later owner.
  const descriptor = fs.openSync(path, 'r+')
  const heartbeat = setInterval(() => {
    try {
      if (readHolder(path)?.token === self.token) fs.writeSync(descriptor, JSON.stringify(self), 0)
      else onLost()
    } catch {
      // Temporary failures, such as no free file descriptor, are ignored: the next heartbeat comes long
      // before the silence limit.
    }
  }, HEARTBEAT_INTERVAL_MS).unref()
  return {
    release() {
      clearInterval(heartbeat)
      fs.closeSync(descriptor)
      if (readHolder(path)?.token === self.token) fs.rmSync(path, { force: true })
    },
  }
}

function describeConflict(path: string, owner: Holder, self: Holder): string {
  const folder = dirname(path)
  if (isCopy(path, owner, self))
    return (
      `${folder} is a copy of ${owner.folder}, which process ${owner.pid} has open: files copied while it runs may be ` +
      `inconsistent. Copy it while that process is stopped, or remove ${path} if it was`
    )
  if (owner.machine !== self.machine)
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
function isCopy(path: string, owner: Holder, self: Holder): boolean {
  if (owner.machine !== self.machine || owner.folder === self.folder) return false
  const original = join(owner.folder, basename(path))
  const readInode = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.ino
  return readInode(original) !== readInode(path) && readHolder(original)?.token === owner.token
}

/**
 * Takes `path` or returns the living holder. To replace a dead holder, a process first needs a claim: a lock
 * of the same kind, named after the dead holder's token. If two processes find the holder dead, only one gets
 * the claim, and a third one that comes later sees that the file has changed; a claim whose owner died is
 * taken over in the same way.
 */
function acquire(path: string, self: Holder): Holder | undefined {
  for (;;) {
    if (createLock(path, self)) return undefined
    const holder = readHolder(path)
    if (holder === undefined) continue
    if (isAlive(holder, path, self)) return holder
    const claim = `${path}.${holder.token}`
    const claimHolder = acquire(claim, self)
    if (claimHolder !== undefined) return claimHolder
    try {
      if (readHolder(path)?.token === holder.token) {
        fs.renameSync(writeTemporary(path, self), path)
        return undefined
      }
    } finally {
      fs.rmSync(claim, { force: true })
    }
  }
}

/**
 * Creates the lock file with a hard link, which appears with its whole content or not at all, unlike a file
 * that is created and then written.
 */
function createLock(path: string, self: Holder): boolean {
  const temporary = writeTemporary(path, self)
  try {
    fs.linkSync(temporary, path)
    return true
  } catch (error) {
    const code = getErrorCode(error)
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    return createWithoutLink(path, self)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

/** For file systems that lack hard links. */
function createWithoutLink(path: string, self: Holder): boolean {
  try {
    fs.writeFileSync(path, JSON.stringify(self), { flag: 'wx' })
    return true
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false
    throw error
  }
}

function writeTemporary(path: string, self: Holder): string {
  const temporary = `${path}.${self.token}.new`
  fs.writeFileSync(temporary, JSON.stringify(self), { flush: true })
  return temporary
}

function readHolder(path: string): Holder | undefined {
  let text: string
  try {
    text = fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    const holder: unknown = JSON.parse(text)
    if (isHolder(holder)) return holder
  } catch {}
  throw new Error(
    `${path} cannot be read as a lock. If no other process is using ${dirname(path)}, remove it.`,
  )
}

function isAlive(holder: Holder, path: string, self: Holder): boolean {
  if (holder.machine !== self.machine) return hasRecentHeartbeat(path, self)
  const process = findProcess(holder.pid)
  return process !== undefined && process.started === holder.started
}

/** Compares two times of the file system, so the clocks of the machines need not agree. */
function hasRecentHeartbeat(path: string, self: Holder): boolean {
  const temporary = writeTemporary(path, self)
  try {
    const silenceMs =
      fs.statSync(temporary).mtimeMs - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    return silenceMs < SILENCE_MS_MAX
  } finally {
    fs.rmSync(temporary, { force: true })
  }
}

/** Removes the claims and temporary files of killed processes. */
function removeLeftovers(path: string, self: Holder): void {
  const folder = dirname(path)
  const prefix = `${path.slice(folder.length + 1)}.`
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue
    const leftover = `${folder}/${name}`
    try {
      const holder = readHolder(leftover)
      if (holder !== undefined && !isAlive(holder, leftover, self)) fs.rmSync(leftover, { force: true })
    } catch {
      // Another process is writing the file right now.
    }
  }
}

function describeSelf(folder: string): Holder {
  const { pid } = process
  return {
    pid,
    folder: fs.realpathSync(folder),
    started: findProcess(pid)?.started ?? null,
    machine: `${firstLine('/proc/sys/kernel/random/boot_id') ?? hostname()} ${linkTarget('/proc/self/ns/pid') ?? ''}`,
    token: `${pid}-${process.hrtime.bigint().toString(36)}`,
  }
}

/** The process with this pid, or undefined if it does not exist or is a zombie. */
function findProcess(pid: number): { started: string | null } | undefined {
  const line = firstLine(`/proc/${pid}/stat`)
  if (line !== undefined) {
    // See proc(5). The name in parentheses may contain anything. The state follows it, and the start time is
    // field 22.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : { started: fields[19] ?? null }
  }
  if (fs.existsSync('/proc/self/stat')) return undefined
  try {
    process.kill(pid, 0)
    return { started: null }
  } catch (error) {
    // EPERM: the process is alive but belongs to another user.
    return getErrorCode(error) === 'EPERM' ? { started: null } : undefined
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
