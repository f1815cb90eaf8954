import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { toScreenedAddress } from '../../base/formats/screened-addresses.ts'
import { getErrorSentence } from '../../base/formats/thrown-errors.ts'
import { ConfigError } from '../../base/settings/config-error.ts'
import { type Screening, toUnreadableResult } from '../../kernel/ports/screening.ts'

/** A file of sanctioned addresses, as last read. */
export interface AddressFile extends Screening {
  /** Reloads the file. Throws ConfigError and keeps the previous addresses if the file is invalid. */
  reload(): Promise<void>
}

const LIST = 'file'
const NO_LABEL = 'The address is in SCREENING_FILE'
const ADDRESS_CHARACTERS_MAX = 512
const LABEL_CHARACTERS_MAX = 300
/** No spaces, commas or unprintable characters. */
const ADDRESS = /^[!-+\--~]{4,}$/
const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i
/** Most lines of a long list look like this and need no normalization. */
const BARE_EVM_LINE = /^0x[0-9a-f]{40}$/
const LABEL = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u

/** Labels by address. The label is empty for a line without one. */
type Addresses = ReadonlyMap<string, string>

/**
 * Opens a file of addresses: one per line, with an optional label after a comma or a space. It is reloaded as
 * soon as a change is noticed; if the new content is invalid, the previous addresses remain in use and
 * `onFailure` is called once per change. Throws ConfigError that names the line.
 */
export async function openAddressFile(
  path: string,
  onFailure: (cause: unknown) => void,
): Promise<AddressFile> {
  let version = await readVersion(path)
  let addresses = await readAddresses(path)
  let lastTask: Promise<unknown> = Promise.resolve()

  const runInTurn = (task: () => Promise<void>): Promise<void> => {
    const running = lastTask.then(task)
    lastTask = running.catch(() => {})
    return running
  }
  /**
   * Reads the version before the content: the content is at least as new, so the next check notices a
   * concurrent change.
   */
  const load = async () => {
    version = await readVersion(path)
    addresses = await readAddresses(path)
  }
  const refresh = async () => {
    const currentVersion = await readVersion(path).catch(getErrorSentence)
    if (currentVersion === version) return
    version = currentVersion
    await load().catch(onFailure)
  }
  return {
    async check(request) {
      await runInTurn(refresh)
      const address = toScreenedAddress(request.address)
      if (address === undefined) return toUnreadableResult(request)
      const label = addresses.get(address)
      if (label === undefined) return { outcome: 'CLEAR' }
      return { outcome: 'HIT', list: LIST, detail: label === '' ? NO_LABEL : label }
    },
    reload: () => runInTurn(load),
  }
}

/** A value that changes whenever the file does. Throws ConfigError. */
async function readVersion(path: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${size} ${ino}`
  } catch (error) {
    throw toConfigError(error)
  }
}

/** Reads line by line, so that a long file does not block the event loop. Throws ConfigError. */
async function readAddresses(path: string): Promise<Addresses> {
  const addresses = new Map<string, string>()
  const input = createReadStream(path, 'utf8')
  let number = 0
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++
      const entry = parseLine(line, number)
      if (entry) addresses.set(entry.address, entry.label)
    }
  } catch (error) {
    throw error instanceof ConfigError ? error : toConfigError(error)
  } finally {
    input.destroy()
  }
  return addresses
}

/**
 * Parses a line into its entry. Undefined for an empty line or a comment. Throws ConfigError that names the
 * line.
 */
export function parseLine(line: string, number: number): { address: string; label: string } | undefined {
  if (BARE_EVM_LINE.test(line)) return { address: line, label: '' }
  const text = (number === 1 ? line.replace(/^\ufeff/, '') : line).trim()
  if (text === '' || text.startsWith('#')) return undefined
  const [address = ''] = text.split(/[,\s]/, 1)
  const label = text
    .slice(address.length)
    .replace(/^\s*,?/, '')
    .trim()
  const createLineError = (why: string) => new ConfigError(`SCREENING_FILE: line ${number} ${why}.`)
  if (address.length > ADDRESS_CHARACTERS_MAX)
    throw createLineError(`has an address of more than ${ADDRESS_CHARACTERS_MAX} characters`)
  if (!ADDRESS.test(address)) throw createLineError('does not begin with an address')
  if (/^0x/i.test(address) && !EVM_ADDRESS.test(address))
    throw createLineError('has an address with 0x but without 40 hexadecimal digits')
  if (label.length > LABEL_CHARACTERS_MAX)
    throw createLineError(`has a label of more than ${LABEL_CHARACTERS_MAX} characters`)
  if (!LABEL.test(label)) throw createLineError('has a label with unprintable characters')
  const normalized = toScreenedAddress(address)
  if (normalized === undefined) throw createLineError('does not begin with an address')
  return { address: normalized, label }
}

function toConfigError(error: unknown): ConfigError {
  return new ConfigError(`SCREENING_FILE cannot be read: ${getErrorSentence(error)}`)
}
