import { findProfile, readProfiles } from '@countersign/sdk'
import { writeProfiles } from '../connection/profile-store.ts'
import { confirmAction } from '../terminal/confirmation.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { print } from '../terminal/records.ts'

export interface LogoutOptions {
  readonly profile?: string
  readonly yes?: boolean
  readonly json?: boolean
}

/** `countersign logout`: removes a profile after confirmation. Does not revoke its token. Throws Failure. */
export async function logOut({ profile, yes, json }: LogoutOptions): Promise<void> {
  const storedProfiles = readProfiles(io().env)
  const name = profile ?? storedProfiles.default
  if (name === undefined) throw new Failure('No profile is stored.')
  const { baseUrl, tokenId } = findProfile(io().env, name)
  await confirmAction(`Remove profile ${name} and its secret?`, yes)
  const { [name]: _, ...profiles } = storedProfiles.profiles
  const newDefault = storedProfiles.default === name ? Object.keys(profiles)[0] : storedProfiles.default
  await writeProfiles({ ...(newDefault === undefined ? {} : { default: newDefault }), profiles })
  print({ removed: name, baseUrl, tokenId }, json ?? false, [
    `Profile ${name} was removed. ${tokenId} works until it is revoked on the server.`,
  ])
}
