import { Countersign } from '@countersign/sdk'
import { confirmed } from '../terminal/confirmation.ts'
import { checkBaseUrl } from '../terminal/credentials.ts'
import { Failure } from '../terminal/failure.ts'
import { type Profile, profileOf, profilesFile, readProfiles, writeProfiles } from '../terminal/profiles.ts'
import { print, printRecords } from '../terminal/records.ts'
import { wireWord } from '../terminal/wire-word.ts'

export interface LoginOptions {
  readonly baseUrl?: string
  readonly tokenId?: string
  readonly clientSecret?: string
  readonly profile?: string
  readonly json?: boolean
}

export interface ProfileOptions {
  readonly profile?: string
  readonly yes?: boolean
  readonly json?: boolean
}

const DEFAULT_NAME = 'default'
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

/** `countersign login`: keeps credentials that the server takes. Throws Failure for a name that is none, and what `config.get` throws. */
export async function logIn({ profile: name = DEFAULT_NAME, json, ...given }: LoginOptions): Promise<void> {
  if (!NAME.test(name))
    throw new Failure('A profile has up to 64 letters, digits, dots, hyphens and underscores.')
  const profile: Profile = {
    baseUrl: checkBaseUrl(given.baseUrl ?? (await asked('Base address of the server', '--base-url'))),
    tokenId: given.tokenId ?? (await asked('Token id', '--token-id')),
    clientSecret: given.clientSecret ?? (await asked('Client secret', '--client-secret')),
  }
  await new Countersign({ ...profile, ...wireWord() }).config.get()
  const kept = await readProfiles()
  const isFirst = kept.default === undefined
  await writeProfiles({ default: kept.default ?? name, profiles: { ...kept.profiles, [name]: profile } })
  const { baseUrl, tokenId } = profile
  print({ profile: name, baseUrl, tokenId, isDefault: isFirst || kept.default === name }, json ?? false, [
    `Logged in to ${baseUrl} as ${tokenId}.`,
    isFirst || kept.default === name
      ? `It is profile ${name} of ${profilesFile()}, which commands use that find no other credentials.`
      : `It is profile ${name} of ${profilesFile()}: --profile ${name}`,
  ])
}

/** `countersign profiles`: those that are kept, without their secrets. */
export async function listProfiles({ json }: ProfileOptions): Promise<void> {
  const { default: standard, profiles } = await readProfiles()
  const shown = Object.entries(profiles).map(([name, { baseUrl, tokenId }]) => ({
    profile: name,
    baseUrl,
    tokenId,
    isDefault: name === standard,
  }))
  printRecords(
    { data: shown, hasMore: false },
    [
      ['PROFILE', ({ profile }) => profile],
      ['SERVER', ({ baseUrl }) => baseUrl],
      ['TOKEN', ({ tokenId }) => tokenId],
      ['', ({ isDefault }) => (isDefault ? 'default' : '')],
    ],
    { isJson: json ?? false, none: 'There are no profiles yet: countersign login' },
  )
}

/** `countersign logout`: forgets a profile after a question. The token itself stays. Throws Failure. */
export async function logOut({ profile, yes, json }: ProfileOptions): Promise<void> {
  const kept = await readProfiles()
  const name = profile ?? kept.default
  if (name === undefined) throw new Failure('There is no profile to forget.')
  const { baseUrl, tokenId } = await profileOf(name)
  await confirmed(`Forget profile ${name} and its secret?`, yes)
  const { [name]: _, ...profiles } = kept.profiles
  const rest = kept.default === name ? Object.keys(profiles)[0] : kept.default
  await writeProfiles({ ...(rest === undefined ? {} : { default: rest }), profiles })
  print({ removed: name, baseUrl, tokenId }, json ?? false, [
    `Profile ${name} is forgotten. ${tokenId} works until it is revoked on the server.`,
  ])
}

/** Asks the person at the terminal. A secret is not shown. Throws Failure where nobody can be asked, or who is asked leaves. */
async function asked(question: string, flag: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new Failure(`${flag} is missing, and nobody can be asked here.`)
  const { isCancel, password, text } = await import('@clack/prompts')
  const validate = (value: string | undefined) => (value ? undefined : 'It is needed.')
  const isSecret = flag === '--client-secret'
  const answer = await (isSecret ? password : text)({ message: question, validate })
  if (isCancel(answer)) throw new Failure('Nothing was changed.')
  return answer
}
