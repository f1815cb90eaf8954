import { API_VERSION } from '@countersign/contract/core/api-version'
import { Countersign, CountersignError, type Credentials, profilesFile, readProfiles } from '@countersign/sdk'
import { checkBaseUrl } from '../connection/credentials.ts'
import { writeProfiles } from '../connection/profile-store.ts'
import { readWireWord } from '../connection/wire-word.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { print } from '../terminal/records.ts'

export interface LoginOptions {
  readonly baseUrl?: string
  readonly tokenId?: string
  readonly clientSecret?: string
  readonly profile?: string
  readonly json?: boolean
}

const DEFAULT_NAME = 'default'
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/**
 * `countersign login`: stores credentials once the server has accepted them. Throws Failure if the name is
 * invalid, and the errors of `config.get`.
 */
export async function logIn({ profile: name = DEFAULT_NAME, json, ...options }: LoginOptions): Promise<void> {
  if (!NAME.test(name))
    throw new Failure('A profile has up to 64 letters, digits, dots, hyphens and underscores.')
  const address = checkBaseUrl(options.baseUrl ?? (await promptValue('Address of the server', '--base-url')))
  const credentials = {
    tokenId: options.tokenId ?? (await promptValue('Token id', '--token-id')),
    clientSecret: options.clientSecret ?? (await promptValue('Client secret', '--client-secret')),
  }
  const profile = await tryCredentials(address, credentials)
  const storedProfiles = readProfiles(io().env)
  const isFirst = storedProfiles.default === undefined
  await writeProfiles({
    default: storedProfiles.default ?? name,
    profiles: { ...storedProfiles.profiles, [name]: profile },
  })
  const { baseUrl, tokenId } = profile
  print(
    { profile: name, baseUrl, tokenId, isDefault: isFirst || storedProfiles.default === name },
    json ?? false,
    [
      `Logged in to ${baseUrl} as ${tokenId}.`,
      isFirst || storedProfiles.default === name
        ? `Stored as profile ${name} in ${profilesFile(io().env)}, the default for commands without other credentials.`
        : `Stored as profile ${name} in ${profilesFile(io().env)}. Pass --profile ${name} to use it.`,
    ],
  )
}

/**
 * Tries the credentials with a request, at the address with this program's API version appended unless the
 * address already has a version. Returns the credentials to store. Throws Failure if no API is found there,
 * and the API's error if it rejects the credentials.
 */
async function tryCredentials(address: string, token: Omit<Credentials, 'baseUrl'>): Promise<Credentials> {
  const trimmed = address.replace(/\/+$/, '')
  const versioned = `${trimmed}/${API_VERSION}`
  // A proxy may add the version, so the address is also tried as given.
  const addresses = /\/\d{4}-\d{2}-\d{2}$/.test(trimmed) ? [trimmed] : [versioned, trimmed]
  for (const baseUrl of addresses) {
    const profile = { baseUrl, ...token }
    try {
      await new Countersign({ ...profile, ...readWireWord() }).config.get()
      return profile
    } catch (error) {
      const isElsewhere =
        error instanceof CountersignError && (error.status === 404 || error.code === 'UNREADABLE_ANSWER')
      if (!isElsewhere) throw error
    }
  }
  throw new Failure(`No Countersign API found at ${addresses.join(' or ')}. Check the address of the server.`)
}

/**
 * Prompts for a value and hides it if it is a secret. Throws Failure if there is no terminal or the prompt is
 * canceled.
 */
async function promptValue(question: string, flag: string): Promise<string> {
  if (!io().stdin.isTTY || !io().stdout.isTTY)
    throw new Failure(`${flag} is missing. It is required if there is no terminal.`)
  const { isCancel, password, text } = await import('@clack/prompts')
  const validate = (value: string | undefined) => (value ? undefined : 'A value is required.')
  const isSecret = flag === '--client-secret'
  const answer = await (isSecret ? password : text)({ message: question, validate })
  if (isCancel(answer)) throw new Failure('Nothing was changed.')
  return answer
}
