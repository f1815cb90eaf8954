import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isObject } from '@countersign/contract/core/decode'
import { Failure } from './failure.ts'
import { isMissing, messageOf } from './thrown.ts'

export interface Profile {
  readonly baseUrl: string
  readonly tokenId: string
  readonly clientSecret: string
}

/** What `countersign login` keeps. `default` is the profile of commands that name none. */
export interface Profiles {
  readonly default?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

const MEMBERS = ['baseUrl', 'tokenId', 'clientSecret'] as const

/** `$XDG_CONFIG_HOME/countersign/profiles.json`, below ~/.config without that. */
export function profilesFile(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'countersign', 'profiles.json')
}

/** The profiles that are kept; none where there is no file. Throws Failure for a file that cannot be read. */
export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile()
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return { profiles: {} }
    throw new Failure(`${file} cannot be read: ${messageOf(error)}`)
  }
  if (!isProfiles(value)) throw new Failure(`${file} does not hold profiles. Remove it, and log in again.`)
  return value
}

/** Replaces the file as a whole, readable by its owner alone: a crash leaves the old one. */
export async function writeProfiles(profiles: Profiles): Promise<void> {
  const file = profilesFile()
  const fresh = `${file}.${randomUUID()}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw new Failure(`${file} cannot be written: ${messageOf(error)}`)
  }
}

/** The profile of this name. Throws Failure where there is none. */
export async function profileOf(name: string): Promise<Profile> {
  const { profiles } = await readProfiles()
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (profile) return profile
  const names = Object.keys(profiles).join(', ')
  throw new Failure(
    `There is no profile "${name}"${names ? `; there is ${names}` : ''}. Make it with: countersign login --profile ${name}`,
  )
}

function isProfiles(value: unknown): value is Profiles {
  if (!isObject(value) || !isObject(value.profiles)) return false
  const isDefaultFine = value.default === undefined || typeof value.default === 'string'
  return isDefaultFine && Object.values(value.profiles).every(isProfile)
}

function isProfile(value: unknown): boolean {
  return isObject(value) && MEMBERS.every((member) => typeof value[member] === 'string')
}
