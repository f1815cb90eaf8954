import type { SmsConfig } from '../config.ts'
import { type Delivery, DeliveryError } from './delivery.ts'

const PHONE_NUMBER = /^\+[1-9][0-9]{1,14}$/
const ANSWER_BYTES_MAX = 16 * 1024

/**
 * Hands text messages to a gateway with Twilio's API: `POST {url}/2010-04-01/Accounts/{sid}/Messages.json`, form
 * encoded `To`, `From`, `Body`, HTTP Basic. 400 is its word that this message will never go out.
 */
export function smsSender(config: SmsConfig, timeoutMs: number): NonNullable<Delivery['sms']> {
  const { url, accountSid, authToken, from } = config
  const login = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  const address = `${url}/2010-04-01/Accounts/${accountSid}/Messages.json`
  return async ({ id, to, text }) => {
    if (!PHONE_NUMBER.test(to)) return { accepted: false, reason: 'Not a number that a message can go to' }
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(address, {
      method: 'POST',
      // Twilio does not look at the key; a gateway that does sends a message once.
      headers: { Authorization: `Basic ${login}`, Accept: 'application/json', 'Idempotency-Key': id },
      body: new URLSearchParams({ To: to, From: from, Body: text }),
      // Wherever else a redirect leads, it is not for these credentials.
      redirect: 'error',
      signal,
    }).catch((error: unknown) => {
      const what = signal.aborted ? `took more than ${timeoutMs} ms` : wordFor(error)
      throw new DeliveryError(`SMS gateway: ${what}`)
    })
    if (response.ok) {
      await response.body?.cancel()
      return { accepted: true }
    }
    const code = await readErrorCode(response)
    const reason = `SMS gateway: ${response.status}${code === undefined ? '' : ` (${code})`}`
    if (response.status === 400) return { accepted: false, reason }
    throw new DeliveryError(reason)
  }
}

/** What kept fetch from an answer: the system's word for it, such as ECONNREFUSED, or the kind of error. */
function wordFor(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : (name ?? 'no answer')
}

/** The number that the gateway gives an error: `{"code": 21211, …}`. Its words may repeat the message: not those. */
async function readErrorCode(response: Response): Promise<number | undefined> {
  try {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of response.body ?? []) {
      length += chunk.length
      if (length > ANSWER_BYTES_MAX) return undefined
      chunks.push(chunk)
    }
    const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: unknown }
    return typeof code === 'number' ? code : undefined
  } catch {
    return undefined
  }
}
