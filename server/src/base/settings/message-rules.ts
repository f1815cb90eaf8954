import { domainToASCII } from 'node:url'
import { parseJson } from '../json/json.ts'

/** The operator's limits on the messages of platforms. The sandbox sends no messages, so it has no limits. */
export interface MessageRules {
  /** For messages of one platform to one address or number. */
  readonly perRecipient: MessageLimit
  /** For messages of one platform to all recipients. */
  readonly perPlatform: MessageLimit
  /** Sender domains by platform id; `*` applies to all platforms. */
  readonly senderDomains: ReadonlyMap<string, readonly string[]>
}

/** The maximum number of messages per hour and per UTC day. */
export interface MessageLimit {
  readonly inHour: number
  readonly inDay: number
}

const MESSAGES_MAX = 1_000_000_000

/** Parses `20,60` (messages per hour and per day). Undefined for anything else. */
export function parseMessageLimit(text: string): MessageLimit | undefined {
  const [, inHour, inDay] = /^(\d{1,10}),(\d{1,10})$/.exec(text) ?? []
  if (inHour === undefined || inDay === undefined) return undefined
  const limit = { inHour: Number(inHour), inDay: Number(inDay) }
  return limit.inHour >= 1 && limit.inDay >= limit.inHour && limit.inDay <= MESSAGES_MAX ? limit : undefined
}

/** Parses `{"*": ["mail.example"], "Platform:…": ["shop.example"]}`. Undefined for anything else. */
export function parseSenderDomains(text: string): ReadonlyMap<string, readonly string[]> | undefined {
  let parsed: unknown
  try {
    parsed = parseJson(text)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  const domains = new Map<string, readonly string[]>()
  for (const [platform, list] of Object.entries(parsed)) {
    if (!/^(?:\*|Platform:[\w-]+)$/.test(platform) || !Array.isArray(list)) return undefined
    const normal = list.map((domain) => (typeof domain === 'string' ? domainToASCII(domain) : ''))
    if (normal.some((domain) => !domain.includes('.'))) return undefined
    domains.set(platform, normal)
  }
  return domains
}

/**
 * True if a platform may send mail from this address. Its domain must be listed; subdomains are not included.
 */
export function canSendFrom(rules: MessageRules | undefined, platformId: string, address: string): boolean {
  if (!rules) return true
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  const allowed = [rules.senderDomains.get('*'), rules.senderDomains.get(platformId)]
  return allowed.some((domains) => domains?.includes(domain))
}
