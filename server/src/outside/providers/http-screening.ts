import { readBody } from '@countersign/contract/connectors/reader'
import { type ScreeningRequest, ScreeningResponse } from '@countersign/contract/connectors/screening-provider'
import { jsonFromUtf8 } from '../../base/crypto/encodings.ts'
import { buildStandardHeaders } from '../../base/crypto/standard-webhooks.ts'
import { toReadableLine } from '../../base/formats/readable-text.ts'
import { toScreenedAddress } from '../../base/formats/screened-addresses.ts'
import { type Answer, NoResponse } from '../../base/http-client/answer.ts'
import { PAYMENT_SERVICE, send } from '../../base/http-client/send.ts'
import { toJson } from '../../base/json/json.ts'
import type { SignedProvider } from '../../base/settings/signed-provider.ts'
import {
  type Screening,
  ScreeningFailed,
  type ScreeningWanted,
  toUnreadableResult,
} from '../../kernel/ports/screening.ts'

/** Shorter than the claim of the job that waits for the response. */
const TIMEOUT_MS = 5_000
const RESPONSE_BYTES_MAX = 64 * 1024
const LIST_CHARACTERS_MAX = 100

/**
 * A screening provider over HTTP. Each check is one signed POST, whose `webhook-id` is the same for every
 * attempt. Only a 200 response with an outcome counts. `clock` is real time.
 */
export function createHttpScreening(
  { url, secrets }: SignedProvider,
  clock: () => Date,
  timeoutMs = TIMEOUT_MS,
): Screening {
  return {
    async check(request) {
      const address = toScreenedAddress(request.address)
      if (address === undefined) return toUnreadableResult(request)
      const body = Buffer.from(toJson(buildBody({ ...request, address })))
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        Accept: 'application/json',
        'User-Agent': 'Countersign-Screening/1',
        ...buildStandardHeaders(secrets, `${request.subject}.${request.direction}`, body, clock()),
      }
      return readResult(await post(url, headers, body, timeoutMs))
    },
  }
}

function buildBody({ network, address, direction, amount, currency, subject }: ScreeningWanted) {
  const body: ScreeningRequest = {
    network,
    address,
    direction,
    amount: { value: String(amount), currency },
    subject,
  }
  return body
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  timeoutMs: number,
): Promise<Answer> {
  const bounds = { ...PAYMENT_SERVICE, timeoutMs, bytesMax: RESPONSE_BYTES_MAX }
  try {
    return await send({ method: 'POST', url, headers, body }, bounds)
  } catch (error) {
    if (error instanceof NoResponse)
      throw new ScreeningFailed(`The provider cannot be reached: ${error.code}`)
    throw error
  }
}

function readResult({ status, body, isComplete }: Answer) {
  if (status !== 200) throw new ScreeningFailed(`The provider returned ${status}`)
  if (!isComplete) throw new ScreeningFailed(`The response has more than ${RESPONSE_BYTES_MAX} bytes`)
  const { value, fault } = readBody(ScreeningResponse, jsonFromUtf8(body))
  if (fault !== undefined) throw new ScreeningFailed(`The provider's response is invalid: ${fault}`)
  const { outcome, list, detail } = value
  if (outcome === 'CLEAR') return { outcome } as const
  return {
    outcome,
    list: toReadableLine(list, LIST_CHARACTERS_MAX) ?? 'provider',
    detail: toReadableLine(detail) ?? 'The provider gives no detail',
  } as const
}
