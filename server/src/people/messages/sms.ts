import { isObject } from '@countersign/contract/core/decode'
import { NoResponse } from '../../base/http-client/answer.ts'
import { send } from '../../base/http-client/send.ts'
import type { SmsConfig } from '../../base/settings/message-delivery.ts'
import type { Delivery } from '../../kernel/ports/delivery.ts'
import { DeliveryError } from '../../kernel/ports/delivery.ts'

const PHONE_NUMBER = /^\+[1-9][0-9]{1,14}$/
const RESPONSE_BYTES_MAX = 16 * 1024

/**
 * Sends text messages through a gateway with Twilio's API: `POST
 * {url}/2010-04-01/Accounts/{sid}/Messages.json` with the form fields `To`, `From` and `Body`, and HTTP Basic
 * authentication. Status 400 means that the message can never be sent.
 */
export function createSmsSender(config: SmsConfig, timeoutMs: number): NonNullable<Delivery['sms']> {
  const { accountSid, authToken, from } = config
  const login = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  const url = `${config.url}/2010-04-01/Accounts/${accountSid}/Messages.json`
  return async ({ id, to, text }) => {
    if (!PHONE_NUMBER.test(to)) return { accepted: false, reason: 'The phone number is not valid' }
    const headers = {
      Authorization: `Basic ${login}`,
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8',
      // Twilio ignores this key. A gateway that supports it sends the message only once.
      'Idempotency-Key': id,
    }
    const body = Buffer.from(String(new URLSearchParams({ To: to, From: from, Body: text })))
    // The operator configures the gateway, so it may run on this machine.
    const response = await send(
      { method: 'POST', url, headers, body },
      { timeoutMs, bytesMax: RESPONSE_BYTES_MAX, reach: 'any' },
    ).catch((error: unknown) => {
      if (!(error instanceof NoResponse)) throw error
      const problem = error.code === 'TIMEOUT' ? `took more than ${timeoutMs} ms` : error.code
      throw new DeliveryError(`SMS gateway: ${problem}`)
    })
    const { status } = response
    if (status >= 200 && status < 300) return { accepted: true }
    const code = readErrorCode(response)
    const reason = `SMS gateway: ${status}${code === undefined ? '' : ` (${code})`}`
    if (status === 400) return { accepted: false, reason }
    throw new DeliveryError(reason)
  }
}

/**
 * Reads the gateway's error code from `{"code": 21211, …}`. Ignores its error text, which may repeat the
 * message.
 */
function readErrorCode({ body }: { readonly body: Uint8Array }): number | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString())
    return isObject(parsed) && typeof parsed.code === 'number' ? parsed.code : undefined
  } catch {
    return undefined
  }
}
