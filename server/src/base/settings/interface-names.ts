import { toCanonicalUmaAddress, UMA_NAME_CHARACTERS_MAX } from '@countersign/contract/core/formats'
import { isWireWord, WIRE_WORD, WIRE_WORD_IN_WORDS } from '@countersign/contract/core/wire-word'
import { ConfigError } from './config-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Names in the API that depend on the brand, so that clients of another brand work unchanged. */
export interface InterfaceNames {
  /** Replaces `svc` in the names of the specification. */
  readonly wireWord: string
  /** The prefix of the version in API paths, such as `/acme`. Usually empty. */
  readonly pathPrefix: string
  /** The host of the sandbox's own UMA receivers. */
  readonly sandboxUmaDomain: string
}

const UMA_DOMAIN_DEFAULT = 'sandbox.uma.test'
const PATH_PREFIX = /^(?:\/[A-Za-z0-9_-]{1,64}){1,8}$/

export function readInterfaceNames(env: Environment): InterfaceNames {
  return {
    wireWord: readWireWord(env),
    pathPrefix: readPathPrefix(env),
    sandboxUmaDomain: readUmaDomain(env),
  }
}

function readWireWord({ COUNTERSIGN_WIRE_WORD }: Environment): string {
  const word = COUNTERSIGN_WIRE_WORD || WIRE_WORD
  if (!isWireWord(word))
    throw new ConfigError(`COUNTERSIGN_WIRE_WORD must be ${WIRE_WORD_IN_WORDS}, not "${word}".`)
  return word
}

function readPathPrefix({ COUNTERSIGN_BASE_PATH }: Environment): string {
  const prefix = COUNTERSIGN_BASE_PATH || ''
  if (prefix !== '' && !PATH_PREFIX.test(prefix))
    throw new ConfigError(
      `COUNTERSIGN_BASE_PATH must be like /acme, with letters, digits, - and _ and no trailing slash, not "${prefix}".`,
    )
  return prefix
}

function readUmaDomain(env: Environment): string {
  const domain = (env.UMA_DOMAIN || env.SANDBOX_UMA_DOMAIN || UMA_DOMAIN_DEFAULT).toLowerCase()
  // Must be valid as part of a UMA address, so that addresses are found as written.
  if (toCanonicalUmaAddress(`$${'n'.repeat(UMA_NAME_CHARACTERS_MAX)}@${domain}`) === undefined)
    throw new ConfigError(`UMA_DOMAIN must be a host name, with an optional port, not "${domain}".`)
  return domain
}
