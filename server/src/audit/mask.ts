/** Members that hold a secret or a value for one use, wherever they are in a body. */
export const SECRET_NAMES: ReadonlySet<string> = new Set([
  'accessToken',
  'apiClientSecret',
  'assertion',
  'attestationObject',
  'cardNumber',
  'clientSecret',
  'deviceCode',
  'documentNumber',
  'encryptedOtpBundle',
  'encryptedSessionSigningKey',
  'encryptedWalletCredentials',
  'invitationUrl',
  'issuerTransactionToken',
  'kycUrl',
  'oidcToken',
  'otpEncryptionTargetBundle',
  'panEmbedUrl',
  'secret',
  'signature',
  'token',
])

/** Those of requests alone: a code that is sent is one for one use, a code that is answered is a word of a table. */
const SECRET_IN_REQUESTS: ReadonlySet<string> = new Set(['code'])

const MASKED = '***'

const MAY_HOLD = mayHold([...SECRET_NAMES])
const REQUEST_MAY_HOLD = mayHold([...SECRET_NAMES, ...SECRET_IN_REQUESTS])

/** Whether JSON may hold a secret. A name with an escape may be any. */
export function maySecretsBeIn(json: string, isRequest: boolean): boolean {
  return (isRequest ? REQUEST_MAY_HOLD : MAY_HOLD).test(json)
}

function mayHold(names: readonly string[]): RegExp {
  return new RegExp(`\\\\u|"(?:${names.join('|')})"\\s*:`)
}

/** A value with `***` in place of its secrets. */
export function masked(value: unknown, isRequest = false): unknown {
  if (Array.isArray(value)) return value.map((one) => masked(one, isRequest))
  if (typeof value !== 'object' || value === null) return value
  const isSecret = (name: string) => SECRET_NAMES.has(name) || (isRequest && SECRET_IN_REQUESTS.has(name))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecret(name) ? MASKED : masked(member, isRequest),
    ]),
  )
}
